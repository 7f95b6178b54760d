import { type Db, Prisma } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import type { Engine } from "./engine.js";
import { RUNNABLE } from "./lease.js";
import { isWatched } from "./watch.js";

/** The most Requests that one sweep rings: of each account the longest due first, and no account's second before another's first. */
const SWEEP_LIMIT = 1000;

/**
 * Rings every Request that is due and that nobody runs: those whose bell was lost, whose worker died, whose turn has
 * come. Reports types that no worker of this version knows, and leaves them alone.
 */
export async function sweep<Cloud>(engine: Engine<Cloud>): Promise<void> {
  const { db, notifier, log, workflows, kinds } = engine;
  const types = [...workflows.keys()];
  const due = await db.$queryRaw<(Notification & { type: string })[]>`
    SELECT r.id, r.account_id AS "accountId", r.wake, r.type FROM requests r WHERE ${RUNNABLE} AND ${isWatched(kinds)} IS NOT TRUE
    ORDER BY r.type = ANY(${types}) DESC, row_number() OVER (PARTITION BY r.account_id ORDER BY r.next_run_at),
      r.next_run_at
    LIMIT ${Prisma.raw(String(SWEEP_LIMIT))}`;
  const known = due.filter(({ type }) => workflows.has(type));
  if (known.length > 0) notifier.notify(...known.map(({ id, accountId, wake }) => ({ id, accountId, wake })));
  const unknown = due.filter(({ type }) => !workflows.has(type));
  if (unknown.length > 0) {
    const unknownTypes = [...new Set(unknown.map(({ type }) => type))];
    log.warn({ types: unknownTypes, count: unknown.length }, "no workflow for Requests; a newer worker may know them");
  }
}

/** Forgets idempotency keys that are no longer honoured. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM idempotency_keys WHERE created_at < now() - interval '30 days'`;
}
