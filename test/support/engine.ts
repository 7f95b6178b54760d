import { connectDb, type Db, Vault } from "@gantry/db";
import { type Engine, runRequest, workflow } from "@gantry/worker/engine";
import { cluster, type FakeCloud, fakeKinds, node } from "./fake-cloud.js";
import { type RecordedJobs, recordJobs } from "./recorded-jobs.js";
import { LONG_TIMEOUTS, type TestDatabase, testLog } from "./stack.js";
import { until } from "./until.js";

export const fakeWorkflow = workflow<FakeCloud>();

/** Simulates a crash of the worker: nothing after it has any effect. */
export class Crash extends Error {}

type Workflows = Engine<FakeCloud>["workflows"];

/** Creates a cluster, then two nodes in parallel. */
export const fakeWorkflows: Workflows = new Map([
  [
    "provision_network",
    fakeWorkflow({
      type: "provision_network",
      stages: {
        create: async ({ resourceId, cloud, db }) => {
          const scope = cloud({ providerId: 1, region: "here" });
          await scope.ensure(cluster, {});
          await Promise.all([scope.ensure(node, {}, "left"), scope.ensure(node, {}, "right")]);
          await db.network.update({ where: { id: resourceId }, data: { provisionedId: "made" } });
        },
      },
      discard: async ({ resourceId, db }) => {
        await db.network.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
      },
    }),
  ],
]) as Workflows;

export interface TestEngine extends Engine<FakeCloud> {
  jobs: RecordedJobs;
}

/** An engine on the fake cloud. It records what it would queue; `runRequest` runs a Request with it. */
export function testEngine(
  database: TestDatabase,
  cloud: FakeCloud,
  changes: Partial<Omit<Engine<FakeCloud>, "jobs">> = {},
): TestEngine {
  return {
    db: database.db,
    jobs: recordJobs(),
    log: testLog,
    workflows: fakeWorkflows,
    kinds: fakeKinds,
    connect: async () => cloud,
    callbackOf: () => undefined,
    classify: () => undefined,
    vault: new Vault([Buffer.alloc(32, 7)]),
    leaseSeconds: 6,
    callSeconds: 10,
    visibilitySeconds: 0,
    isStopping: () => false,
    ...changes,
  };
}

/** A database client that crashes before or after its `nth` statement. Every later statement fails too. */
export function crashingDb(url: string, nth: number, when: "before" | "after"): { db: Db; statements: () => number } {
  let count = 0;
  const db = connectDb(url, 4, LONG_TIMEOUTS).$extends({
    query: {
      async $allOperations({ args, query }) {
        const number = ++count;
        if (number > nth || (number === nth && when === "before")) throw new Crash();
        const result = await query(args);
        if (number === nth) throw new Crash();
        return result;
      },
    },
  });
  return { db: db as unknown as Db, statements: () => count };
}

/** Expires the lease of a Request now. */
export async function expireLease(db: Db, requestId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE requests SET lease_until = now() - interval '1 second' WHERE id = ${requestId}::uuid AND lease_until IS NOT NULL`;
}

/** Makes a sleeping Request due now. */
export async function wakeUp(db: Db, requestId: string): Promise<void> {
  await db.$queryRaw`UPDATE requests SET next_run_at = now() WHERE id = ${requestId}::uuid`;
}

/**
 * Runs all Requests of an account to their end, one claim after the other, without waiting for leases or delays.
 *
 * @param minutesPerRound the age that each round adds to rollbacks and to what they wait for: one that can never succeed ends
 *   by its limit of time
 */
export async function runAllToEnd<Cloud>(engine: Engine<Cloud>, accountId: string, minutesPerRound = 0): Promise<void> {
  const { db } = engine;
  await until(async () => {
    const open = await db.request.findMany({ where: { accountId, finishedAt: null }, select: { id: true } });
    for (const { id } of open) {
      await expireLease(db, id);
      await wakeUp(db, id);
    }
    // What waits for a time without other work waits no longer than ten minutes.
    await db.$executeRaw`
      UPDATE requests SET created_at = created_at - interval '10 minutes'
      WHERE account_id = ${accountId}::uuid AND finished_at IS NULL AND waiting_for = 'a time without other work'`;
    await Promise.all(open.map(({ id }) => runRequest(engine, id)));
    if (minutesPerRound > 0)
      await db.$executeRaw`
        UPDATE requests SET rolling_back_since = rolling_back_since - make_interval(mins => ${minutesPerRound}::int),
          cloud_wait = cloud_wait || jsonb_build_object('since',
            (cloud_wait->>'since')::timestamptz - make_interval(mins => ${minutesPerRound}::int))
        WHERE account_id = ${accountId}::uuid AND rolling_back_since IS NOT NULL AND finished_at IS NULL`;
    return open.length === 0;
  });
}
