import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { Children } from "../../apps/worker/src/engine/children.js";
import { claim } from "../../apps/worker/src/engine/claim.js";
import { runRequest } from "../../apps/worker/src/engine/run.js";
import { NotYet } from "../../apps/worker/src/engine/stage-errors.js";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "../support/api.js";
import { fakeWorkflow, type TestEngine, testEngine, wakeUp } from "../support/engine.js";
import { FakeCloud } from "../support/fake-cloud.js";
import { until } from "../support/until.js";
import { open } from "../support/work.js";

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
/** A connection of the test's own, which holds up whoever wants the parent's row. */
let holder: pg.Client;
let parentId: string;
let childIds: string[];

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
  engine = testEngine(api.database, new FakeCloud(), { workflows });
  holder = new pg.Client(api.database.url);
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await api.close();
});

beforeEach(async () => {
  parentId = await open(api.db, owner, "provision_provider", { type: "provider", id: randomUUID() }, {});
  await runRequest(engine, parentId);
  // A scan then meets the parent before its children.
  await api.db.$executeRaw`CLUSTER requests USING requests_seq_key`;
  childIds = (await api.db.request.findMany({ where: { parentId } })).map(({ id }) => id);
  expect(childIds).toHaveLength(CHILDREN);
});

const waiting = (count: number) =>
  until(async () => {
    const [seen] = await api.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return seen?.count === count;
  });

/** Has `act` begin while the parent's row is held, then all children end, and only then lets the row go. */
async function meet<T>(act: () => Promise<T>): Promise<T> {
  await holder.query("BEGIN");
  await holder.query("SELECT id FROM requests WHERE id = $1 FOR NO KEY UPDATE", [parentId]);
  const acting = act();
  await waiting(1);
  const ending = childIds.map((id) => runRequest(engine, id));
  await waiting(1 + CHILDREN);
  await holder.query("COMMIT");
  await Promise.all(ending);
  return acting;
}

const unended = () => api.db.request.count({ where: { parentId, finishedAt: null } });

it("cancels a Request while its children end", async () => {
  const answer = await meet(async () => owner.post(`/requests/${parentId}/cancel`));
  expect([answer.status, answer.body.errors, await unended()]).toEqual([200, undefined, 0]);
});

it("takes a Request back while its children end", async () => {
  await wakeUp(api.db, parentId);
  const claimed = await claim(engine, parentId);
  if (!claimed) throw new Error("the parent could not be claimed");
  const children = new Children(api.db, claimed.state, () => {});
  const outcome = await meet(() => children.cancelAll().catch((error) => error));
  claimed.lease.close();
  expect([outcome, await unended()]).toEqual([expect.any(NotYet), 0]);
});
