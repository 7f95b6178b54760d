import { randomInt } from "node:crypto";
import { Children, claim, NotYet, runRequest } from "@gantry/worker/engine";
import pg from "pg";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "../support/api.js";
import { fakeWorkflow, type TestEngine, testEngine, wakeUp } from "../support/engine.js";
import { FakeCloud } from "../support/fake-cloud.js";
import { until } from "../support/until.js";
import { createRequestOf } from "../support/work.js";

const CHILDREN = 6;
const nothing = async () => {};
const parents = fakeWorkflow({
  type: "provision_provider",
  stages: {
    "verify-credentials": nothing,
    "discover-locations": ({ children, resourceId }) =>
      children.finish(
        Array.from({ length: CHILDREN }, (_, i) => ({
          type: "provision_network",
          resource: { type: "network", id: `${resourceId}-${i}` },
          input: { skipSubnets: true },
        })),
      ),
  },
  discard: nothing,
});
const workflows = new Map(
  [parents, fakeWorkflow({ type: "provision_network", stages: { create: nothing }, discard: nothing })].map((each) => [
    each.type,
    each,
  ]),
) as TestEngine["workflows"];

let api: TestApi;
let owner: TestCaller;
let engine: TestEngine;
/** The connection that locks the parent's row. */
let blocker: pg.Client;
let parentId: string;
let childIds: string[];

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  engine = testEngine(api.database, new FakeCloud(), { workflows });
  blocker = new pg.Client(api.database.url);
  await blocker.connect();
});
afterAll(async () => {
  await blocker.end();
  await api.close();
});

beforeEach(async () => {
  parentId = await createRequestOf(
    api.db,
    owner,
    "provision_provider",
    { type: "provider", id: randomInt(1, 2 ** 31) },
    {},
  );
  await runRequest(engine, parentId);
  // A sequential scan now reads the parent before its children.
  await api.db.$executeRaw`CLUSTER requests USING requests_seq_key`;
  childIds = (await api.db.request.findMany({ where: { parentId } })).map(({ id }) => id);
  expect(childIds).toHaveLength(CHILDREN);
});

const waitForBlocked = (count: number) =>
  until(async () => {
    const [row] = await api.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return row?.count === count;
  });

/** Starts `action` and then the ends of all children while the parent's row is locked, and releases the row. */
async function runConcurrently<T>(action: () => Promise<T>): Promise<T> {
  await blocker.query("BEGIN");
  await blocker.query("SELECT id FROM requests WHERE id = $1 FOR NO KEY UPDATE", [parentId]);
  const running = action();
  await waitForBlocked(1);
  const ending = childIds.map((id) => runRequest(engine, id));
  await waitForBlocked(1 + CHILDREN);
  await blocker.query("COMMIT");
  await Promise.all(ending);
  return running;
}

const unfinished = () => api.db.request.count({ where: { parentId, finishedAt: null } });

it("does not deadlock when a cancel meets the ends of the children", async () => {
  const answer = await runConcurrently(async () => owner.post(`/requests/${parentId}/cancel`));
  expect([answer.status, answer.body.errors, await unfinished()]).toEqual([200, undefined, 0]);
});

it("does not deadlock when a rollback meets the ends of the children", async () => {
  await wakeUp(api.db, parentId);
  const claimed = await claim(engine, parentId);
  if (!claimed) throw new Error("the parent could not be claimed");
  const children = new Children(api.db, claimed.state, engine.jobs);
  const outcome = await runConcurrently(() => children.cancelAll().catch((error) => error));
  claimed.lease.close();
  expect([outcome, await unfinished()]).toEqual([expect.any(NotYet), 0]);
});
