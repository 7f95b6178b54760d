import { createPlainAccount } from "@gantry/test/support/account";
import { fakeWorkflow, type TestEngine, testEngine, wakeUp } from "@gantry/test/support/engine";
import { cluster, FakeCloud, fakeKinds } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Engine } from "./engine.js";
import { runRequest } from "./run.js";
import { permanent, poll } from "./stage-errors.js";
import { sweep } from "./sweep.js";
import { checkWatches } from "./watch.js";

let database: TestDatabase;
let account: Awaited<ReturnType<typeof createPlainAccount>>;
let engine: TestEngine;
/** What the cloud says of each cluster that is not "starting". */
let running: Set<string>;
let looks: string[][];

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(async () => {
  await database.db.$executeRaw`TRUNCATE requests CASCADE`;
  account = await createPlainAccount(database.db);
  [running, looks] = [new Set(), []];
  engine = testEngine(database, new FakeCloud(), {
    workflows: waitForRunning,
    kinds: new Map([
      ...fakeKinds,
      ["cluster", { ...cluster, describeStates: async (_cloud: FakeCloud, ids: string[]) => seenIn(ids) }],
    ]),
  });
});
afterAll(() => database.drop());

function seenIn(ids: string[]) {
  looks.push(ids);
  return new Map(ids.map((id) => [id, running.has(id) ? "running" : "starting"]));
}

const waitForRunning = new Map([
  [
    "provision_network",
    fakeWorkflow({
      type: "provision_network",
      stages: {
        create: async ({ resourceId, cloud }) => {
          const scope = cloud({ providerId: 1, region: "here" });
          const state = seenIn([resourceId]).get(resourceId) ?? "";
          if (state !== "running")
            throw poll("The cluster to start", { everySeconds: 200, watched: scope.watch(cluster, resourceId, state) });
        },
      },
      discard: async () => {},
    }),
  ],
]) as Engine<FakeCloud>["workflows"];

/** A Request that has waited for its cluster for five minutes. */
async function openSleeper() {
  const opened = await openNetwork(database.db, account);
  await runRequest(engine, opened.requestId);
  await database.db.$executeRaw`
    UPDATE request_stages SET started_at = now() - interval '5 min' WHERE request_id = ${opened.requestId}::uuid`;
  await wakeUp(database.db, opened.requestId);
  await runRequest(engine, opened.requestId);
  looks = [];
  engine.notifications.length = 0;
  return opened;
}

/** As if so many others slept like it, each for a cluster of its own. */
async function copy(requestId: string, count: number): Promise<void> {
  await database.db.$executeRaw`
    INSERT INTO requests SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
      'seq', nextval('requests_seq_seq'), 'queue_key', gen_random_uuid(), 'watch', r.watch || jsonb_build_object('id', n)))).*
    FROM requests r, generate_series(1, ${count}::int) n WHERE r.id = ${requestId}::uuid`;
}

const allDue = () => database.db.$executeRaw`UPDATE requests SET next_run_at = now()`;
const requestOf = (id: string) => database.db.request.findUniqueOrThrow({ where: { id } });

describe("sleeping Requests that wait for the cloud", () => {
  it("are not rung, and share a look for each hundred of them", async () => {
    const { requestId } = await openSleeper();
    await copy(requestId, 249);
    await allDue();
    await checkWatches(engine);
    expect(looks.map((ids) => ids.length)).toEqual([100, 100, 50]);
    expect(new Set(looks.flat()).size).toBe(250);
    expect(engine.notifications).toEqual([]);
    expect((await requestOf(requestId)).fence).toBe(2);
  });

  it("are looked at by the way where one of them is due, and then not before their period is over", async () => {
    const { requestId, networkId } = await openSleeper();
    await copy(requestId, 120);
    await checkWatches(engine);
    expect(looks).toEqual([]);
    await database.db.$executeRaw`UPDATE requests SET next_run_at = now() + interval '30 s'`;
    await wakeUp(database.db, requestId);
    await checkWatches(engine);
    await checkWatches(engine);
    expect(looks.map((ids) => ids.length)).toEqual([100]);
    expect(looks.flat()).toContain(networkId);
    const putOff = { nextRunAt: { gt: new Date(Date.now() + 50_000) } };
    expect(await database.db.request.count({ where: putOff })).toBe(100);
  });

  it("are woken when what they wait for is no longer as they saw it, and no others", async () => {
    const [first, second] = [await openSleeper(), await openSleeper()];
    running.add(second.networkId);
    await allDue();
    await checkWatches(engine);
    expect(engine.notifications.map(({ id }) => id)).toEqual([second.requestId]);
    await runRequest(engine, second.requestId);
    expect(await requestOf(second.requestId)).toMatchObject({ successful: true, stageAttempts: 0 });
    expect(await requestOf(first.requestId)).toMatchObject({ finishedAt: null, waitingFor: "The cluster to start" });
  });

  it("are looked at once where two workers look at the same time", async () => {
    const { requestId } = await openSleeper();
    await copy(requestId, 150);
    await allDue();
    await Promise.all([checkWatches(engine), checkWatches(engine)]);
    expect(looks.map((ids) => ids.length).sort()).toEqual([100, 51]);
    expect(new Set(looks.flat()).size).toBe(151);
  });

  it("are left to the looks by the sweep, unless nobody of this version can look", async () => {
    const { requestId: watched } = await openSleeper();
    const { requestId: other } = await openNetwork(database.db, account);
    await allDue();
    await sweep(engine);
    expect(engine.notifications.map(({ id }) => id)).toEqual([other]);
    await sweep({ ...engine, kinds: fakeKinds });
    expect(
      engine.notifications
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([watched, other].sort());
  });

  it("run at once when they are cancelled, and are not looked at any more", async () => {
    const { requestId } = await openSleeper();
    await database.db.$executeRaw`
      UPDATE requests SET cancel_requested_at = now(), wake = wake + 1, next_run_at = now() WHERE id = ${requestId}::uuid`;
    await checkWatches(engine);
    expect(looks).toEqual([]);
    await runRequest(engine, requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
  });

  it("are woken when they have waited in vain", async () => {
    const { requestId } = await openSleeper();
    const later = new Date(Date.now() - 1000).toISOString();
    await database.db.$executeRaw`
      UPDATE requests SET watch = watch || jsonb_build_object('until', ${later}::text), next_run_at = now()`;
    await database.db.$executeRaw`UPDATE request_stages SET started_at = now() - interval '31 min'`;
    await checkWatches(engine);
    expect(engine.notifications.map(({ id }) => id)).toEqual([requestId]);
    await runRequest(engine, requestId);
    expect((await requestOf(requestId)).message).toBe("Waited 30 minutes in vain: The cluster to start");
  });

  it("go on sleeping where a look fails and may pass, and find out for themselves where it cannot", async () => {
    const { requestId } = await openSleeper();
    const failing = (error: Error) => ({ ...engine, connect: () => Promise.reject(error) });
    await allDue();
    await checkWatches({ ...failing(new Error("busy")), classify: () => ({ kind: "retry", message: "busy" }) });
    expect(engine.notifications).toEqual([]);
    await allDue();
    await checkWatches(failing(permanent("The provider was cancelled")));
    expect(engine.notifications.map(({ id }) => id)).toEqual([requestId]);
  });
});
