import { createPlainAccount } from "@gantry/test/support/account";
import { type TestEngine, testEngine, wakeUp } from "@gantry/test/support/engine";
import { cluster, FakeCloud, fakeKinds } from "@gantry/test/support/fake-cloud";
import { cancel, HERE, provisionNetwork, requestOf } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import { runRequest } from "./run.js";
import { permanent, poll } from "./stage-errors.js";
import { sweep } from "./sweep.js";
import { checkWatches } from "./watch.js";

let database: TestDatabase;
let account: Awaited<ReturnType<typeof createPlainAccount>>;
let engine: TestEngine;
/** The clusters whose state is "running"; the others' is "starting". */
let running: Set<string>;
/** The ids of each describe call. */
let describeCalls: string[][];

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(async () => {
  await database.db.$executeRaw`TRUNCATE requests CASCADE`;
  account = await createPlainAccount(database.db);
  [running, describeCalls] = [new Set(), []];
  engine = testEngine(database, new FakeCloud(), {
    workflows: waitForRunning,
    kinds: new Map([
      ...fakeKinds,
      ["cluster", { ...cluster, describeStates: async (_cloud: FakeCloud, ids: string[]) => describeStates(ids) }],
    ]),
  });
});
afterAll(() => database.drop());

function describeStates(ids: string[]) {
  describeCalls.push(ids);
  return new Map(ids.map((id) => [id, running.has(id) ? "running" : "starting"]));
}

const waitForRunning = provisionNetwork(async ({ resourceId, cloud }) => {
  const state = describeStates([resourceId]).get(resourceId) ?? "";
  const watched = cloud(HERE).watch(cluster, resourceId, state);
  if (state !== "running") throw poll("the cluster to start", { everySeconds: 200, watched });
});

/** Creates a Request that has waited for its cluster for five minutes. */
async function requestSleeper() {
  const opened = await requestNetwork(database.db, account);
  await runRequest(engine, opened.requestId);
  await database.db.$executeRaw`
    UPDATE request_stages SET started_at = now() - interval '5 min' WHERE request_id = ${opened.requestId}::uuid`;
  await wakeUp(database.db, opened.requestId);
  await runRequest(engine, opened.requestId);
  describeCalls = [];
  engine.jobs.ids.length = 0;
  return opened;
}

/** Adds sleeping Requests like this one, each with its own cluster. */
async function addCopies(requestId: string, count: number): Promise<void> {
  await database.db.$executeRaw`
    INSERT INTO requests SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
      'seq', nextval('requests_seq_seq'), 'queue_key', gen_random_uuid(), 'watch', r.watch || jsonb_build_object('id', n)))).*
    FROM requests r, generate_series(1, ${count}::int) n WHERE r.id = ${requestId}::uuid`;
}

const allDue = () => database.db.$executeRaw`UPDATE requests SET next_run_at = now()`;

describe("sleeping Requests that wait for the cloud", () => {
  it("are not notified, and share one describe call for each hundred", async () => {
    const { requestId } = await requestSleeper();
    await addCopies(requestId, 249);
    await allDue();
    await checkWatches(engine);
    expect(describeCalls.map((ids) => ids.length)).toEqual([100, 100, 50]);
    expect(new Set(describeCalls.flat()).size).toBe(250);
    expect(engine.jobs.ids).toEqual([]);
    expect((await requestOf(database.db, requestId)).fence).toBe(2);
  });

  it("that are due soon share the call of one that is due, and are then not checked before their interval is over", async () => {
    const { requestId, networkId } = await requestSleeper();
    await addCopies(requestId, 120);
    await checkWatches(engine);
    expect(describeCalls).toEqual([]);
    await database.db.$executeRaw`UPDATE requests SET next_run_at = now() + interval '30 s'`;
    await wakeUp(database.db, requestId);
    await checkWatches(engine);
    await checkWatches(engine);
    expect(describeCalls.map((ids) => ids.length)).toEqual([100]);
    expect(describeCalls.flat()).toContain(networkId);
    const postponed = { nextRunAt: { gt: new Date(Date.now() + 50_000) } };
    expect(await database.db.request.count({ where: postponed })).toBe(100);
  });

  it("are woken when the state of their object has changed, and no others", async () => {
    const [first, second] = [await requestSleeper(), await requestSleeper()];
    running.add(second.networkId);
    await allDue();
    await checkWatches(engine);
    expect(engine.jobs.ids).toEqual([second.requestId]);
    await runRequest(engine, second.requestId);
    expect(await requestOf(database.db, second.requestId)).toMatchObject({ successful: true, stageAttempts: 0 });
    expect(await requestOf(database.db, first.requestId)).toMatchObject({
      finishedAt: null,
      waitingFor: "the cluster to start",
    });
  });

  it("are checked once if two workers check at the same time", async () => {
    const { requestId } = await requestSleeper();
    await addCopies(requestId, 150);
    await allDue();
    await Promise.all([checkWatches(engine), checkWatches(engine)]);
    expect(describeCalls.map((ids) => ids.length).sort()).toEqual([100, 51]);
    expect(new Set(describeCalls.flat()).size).toBe(151);
  });

  it("are left out by the sweep, unless this version cannot describe their objects", async () => {
    const { requestId: watched } = await requestSleeper();
    const { requestId: other } = await requestNetwork(database.db, account);
    await allDue();
    await sweep(engine);
    expect(engine.jobs.ids).toEqual([other]);
    await sweep({ ...engine, kinds: fakeKinds });
    const [, ...notified] = engine.jobs.ids;
    expect(notified.sort()).toEqual([watched, other].sort());
  });

  it("run at once when they are cancelled, and are no longer checked", async () => {
    const { requestId } = await requestSleeper();
    await cancel(database.db, requestId);
    await checkWatches(engine);
    expect(describeCalls).toEqual([]);
    await runRequest(engine, requestId);
    expect(await requestOf(database.db, requestId)).toMatchObject({ successful: false, message: "Cancelled" });
  });

  it("are woken when their wait times out", async () => {
    const { requestId } = await requestSleeper();
    const past = new Date(Date.now() - 1000).toISOString();
    await database.db.$executeRaw`
      UPDATE requests SET watch = watch || jsonb_build_object('until', ${past}::text), next_run_at = now()`;
    await database.db.$executeRaw`UPDATE request_stages SET started_at = now() - interval '31 min'`;
    await checkWatches(engine);
    expect(engine.jobs.ids).toEqual([requestId]);
    await runRequest(engine, requestId);
    expect((await requestOf(database.db, requestId)).message).toBe(
      "Timed out after waiting 30 minutes for the cluster to start",
    );
  });

  it("keep sleeping after a transient error of the check, and are woken by a permanent one", async () => {
    const { requestId } = await requestSleeper();
    const failing = (error: Error) => ({ ...engine, connect: () => Promise.reject(error) });
    await allDue();
    await checkWatches({ ...failing(new Error("busy")), classify: () => ({ kind: "retry", message: "busy" }) });
    expect(engine.jobs.ids).toEqual([]);
    await allDue();
    await checkWatches(failing(permanent("The provider was cancelled")));
    expect(engine.jobs.ids).toEqual([requestId]);
  });
});
