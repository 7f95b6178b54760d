import { type Db, openDb, Vault } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import type { Env } from "@gantry/runtime";
import type { Aws } from "../../apps/worker/src/aws/clients.js";
import { awsEngine } from "../../apps/worker/src/aws-engine.js";
import type { Engine } from "../../apps/worker/src/engine/engine.js";
import { runRequest } from "../../apps/worker/src/engine/run.js";
import { workflow } from "../../apps/worker/src/engine/workflow.js";
import { box, lid, type ToyCloud, toyKinds } from "./fake-cloud.js";
import { patient, type TestDatabase, testLog } from "./stack.js";
import { until } from "./until.js";

export const toyWorkflow = workflow<ToyCloud>();

/** Stands for a worker's death: nothing that the worker does after it has any effect. */
export class Crash extends Error {}

type Workflows = Engine<ToyCloud>["workflows"];

/** A box and a lid for it, made in parallel after a first box. */
export const makeBoxes: Workflows = new Map([
  [
    "provision_network",
    toyWorkflow({
      type: "provision_network",
      stages: {
        create: async ({ resourceId, cloud, db }) => {
          const scope = cloud({ providerId: 1, region: "here" });
          await scope.ensure(box, {});
          await Promise.all([scope.ensure(lid, {}, "left"), scope.ensure(lid, {}, "right")]);
          await db.network.update({ where: { id: resourceId }, data: { provisionedId: "made" } });
        },
      },
      discard: async ({ resourceId, db }) => {
        await db.network.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
      },
    }),
  ],
]) as Workflows;

export interface TestEngine extends Engine<ToyCloud> {
  notifications: Notification[];
}

/** An engine on the toy cloud that rings nobody. A Request is run by calling `runRequest` with it. */
export function testEngine(
  database: TestDatabase,
  cloud: ToyCloud,
  changes: Partial<Engine<ToyCloud>> = {},
): TestEngine {
  const notifications: Notification[] = [];
  return {
    notifications,
    db: database.db,
    notifier: { notify: (...more) => void notifications.push(...more) },
    log: testLog,
    workflows: makeBoxes,
    kinds: toyKinds,
    connect: async () => cloud,
    callbackOf: () => undefined,
    classify: () => undefined,
    vault: new Vault(Buffer.alloc(32, 7)),
    leaseSeconds: 15,
    callSeconds: 10,
    visibilitySeconds: 0,
    isStopping: () => false,
    ...changes,
  };
}

/**
 * A database client of a worker that dies at its `nth` statement, before or after that was carried out. Every statement
 * after it fails too: the dead do not write.
 */
export function dyingDb(url: string, nth: number, moment: "before" | "after"): { db: Db; statements: () => number } {
  let count = 0;
  const db = openDb(url, 4, patient).$extends({
    query: {
      async $allOperations({ args, query }) {
        const mine = ++count;
        if (mine > nth || (mine === nth && moment === "before")) throw new Crash();
        const result = await query(args);
        if (mine === nth) throw new Crash();
        return result;
      },
    },
  });
  return { db: db as unknown as Db, statements: () => count };
}

/** Lets the lease of a Request run out now, instead of waiting for it. */
export async function expireLease(db: Db, requestId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE requests SET lease_until = now() - interval '1 second' WHERE id = ${requestId}::uuid AND lease_until IS NOT NULL`;
}

/** Makes a sleeping Request due now, instead of waiting for it. */
export async function wakeUp(db: Db, requestId: string): Promise<void> {
  await db.$queryRaw`UPDATE requests SET next_run_at = now() WHERE id = ${requestId}::uuid`;
}

/** The worker's own engine, ringing nobody. */
export function quietAwsEngine({ db }: Pick<TestDatabase, "db">, env: Env): Engine<Aws> {
  return awsEngine(env, { db, notifier: { notify: () => {} }, log: testLog, isStopping: () => false });
}

/** Runs all Requests of an account to their end as worker after worker would, without waiting for leases or delays. */
export async function runAllToEnd<Cloud>(engine: Engine<Cloud>, accountId: string): Promise<void> {
  const { db } = engine;
  await until(async () => {
    const open = await db.request.findMany({ where: { accountId, finishedAt: null }, select: { id: true } });
    for (const { id } of open) {
      await expireLease(db, id);
      await wakeUp(db, id);
    }
    await Promise.all(open.map(({ id }) => runRequest(engine, id)));
    return open.length === 0;
  });
}
