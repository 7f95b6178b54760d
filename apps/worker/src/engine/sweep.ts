import { type Db, Prisma } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import { RUNNABLE } from "./claim.js";
import type { Engine } from "./engine.js";
import { isWatched } from "./watch.js";

/** The most Requests that one sweep notifies. */
const SWEEP_LIMIT = 1000;

/**
 * Notifies the Requests that are due and that no worker runs: their notification was lost, their worker died, or their
 * sleep is over. Requests of a type without a workflow are only logged.
 */
export async function sweep<Cloud>(engine: Engine<Cloud>): Promise<void> {
  const { db, notifier, log, workflows, kinds } = engine;
  const types = [...workflows.keys()];
  const due = await db.$queryRaw<(Notification & { type: string })[]>`
    SELECT r.id, r.wake, r.type FROM requests r WHERE ${RUNNABLE} AND ${isWatched(kinds)} IS NOT TRUE
    ORDER BY r.type = ANY(${types}) DESC, r.next_run_at LIMIT ${Prisma.raw(String(SWEEP_LIMIT))}`;
  const known = due.filter(({ type }) => workflows.has(type));
  if (known.length > 0) notifier.notify(...known.map(({ id, wake }) => ({ id, wake })));
  const unknown = due.filter(({ type }) => !workflows.has(type));
  if (unknown.length > 0) {
    const unknownTypes = [...new Set(unknown.map(({ type }) => type))];
    log.warn({ types: unknownTypes, count: unknown.length }, "no workflow for Requests; a newer worker may have one");
  }
}

/** Deletes the idempotency keys that are older than 30 days, which are no longer honoured. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM idempotency_keys WHERE created_at < now() - interval '30 days'`;
}
