import type { Db } from "@gantry/db";
import type { InputOf, RequestType } from "@gantry/resources";
import { type Engine, runRequest, type Stage } from "@gantry/worker/engine";
import { Crash, expireLease, fakeWorkflow, wakeUp } from "./engine.js";
import type { FakeCloud } from "./fake-cloud.js";
import { until } from "./until.js";

export type FakeWorkflows = Engine<FakeCloud>["workflows"];

/** The location of every object in tests of the engine. */
export const HERE = { providerId: 1, region: "here" };

/** Returns the workflows as an engine takes them. The cast forgets the inputs, which only each workflow knows. */
export function workflowsOf(...workflows: { type: RequestType }[]): FakeWorkflows {
  return new Map(workflows.map((workflow) => [workflow.type, workflow])) as unknown as FakeWorkflows;
}

type NetworkStage = Stage<FakeCloud, InputOf<"provision_network">>;

/** Returns a `provision_network` whose only stage is `create`; it discards by marking the network as deleted. */
export function provisionNetwork(create: NetworkStage, discard: NetworkStage = markDeleted): FakeWorkflows {
  return workflowsOf(fakeWorkflow({ type: "provision_network", stages: { create }, discard }));
}

const markDeleted: NetworkStage = async ({ resourceId, db }) => {
  await db.network.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
};

export const requestOf = (db: Db, id: string) => db.request.findUniqueOrThrow({ where: { id } });

/** Reads the rows of the objects that a Request made and that are not removed. */
export const liveObjectsOf = (db: Db, requestId: string) =>
  db.cloudObject.findMany({ where: { requestId, removedAt: null } });

/** Cancels a Request as the API does. */
export async function cancel(db: Db, requestId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1 WHERE id = ${requestId}::uuid`;
}

/** Runs a Request to its end, one claim after the other, without waiting for leases or delays. */
export async function runToEnd(engine: Engine<FakeCloud>, requestId: string): Promise<void> {
  await until(async () => {
    await expireLease(engine.db, requestId);
    await wakeUp(engine.db, requestId);
    await runRequest(engine, requestId);
    return (await requestOf(engine.db, requestId)).finishedAt;
  });
}

/** As an engine's `classify`: ends the run at a crash without any write. */
export function rethrowCrash(error: unknown): undefined {
  if (error instanceof Crash) throw error;
}

/** Returns a client that finds the database unreachable for each statement with these words. */
export function unreachableFor(db: Db, words: string): Db {
  const failing = db.$extends({
    query: {
      $allOperations: ({ args, query }) => {
        if (!JSON.stringify(args).includes(words)) return query(args);
        throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      },
    },
  });
  // A client that is extended only by a query keeps its shape.
  return failing as unknown as Db;
}
