import { type Db, Prisma } from "@gantry/db";
import { type DueRequest, QUEUED_COLUMNS } from "@gantry/queue";
import { IDEMPOTENCY_KEY_DAYS, RUNNABLE } from "@gantry/requests";
import type { Engine } from "./engine.js";
import { isWatched } from "./watch.js";

/** The most Requests whose jobs one sweep restores. */
const SWEEP_LIMIT = 1000;
/** A Request that has been due for longer goes before others: accounts that keep asking must not starve one that waits. */
const OVERDUE_SECONDS = 10;
/** The most Requests of one account that do so at a time. */
const OVERDUE_LIMIT = 20;

/**
 * Restores the jobs of Requests that are due and that no worker runs: their job was lost, their worker died, or the job
 * was not woken. Requests of a type without a workflow are only logged.
 */
export async function sweep<Cloud>(engine: Engine<Cloud>): Promise<void> {
  const { db, jobs, log, workflows, kinds } = engine;
  const types = [...workflows.keys()];
  const due = await db.$queryRaw<DueRequest[]>`
    SELECT ${QUEUED_COLUMNS}, row_number() OVER (PARTITION BY r.account_id ORDER BY r.seq)::int - 1 AS ahead,
      r.next_run_at < now() - make_interval(secs => ${OVERDUE_SECONDS})
        AND row_number() OVER (PARTITION BY r.account_id ORDER BY r.next_run_at) <= ${OVERDUE_LIMIT} AS "isOverdue",
      r.lease_until IS NOT NULL AS "isLost"
    FROM requests r WHERE ${RUNNABLE} AND ${isWatched(kinds)} IS NOT TRUE
    ORDER BY r.type = ANY(${types}) DESC, r.next_run_at LIMIT ${Prisma.raw(String(SWEEP_LIMIT))}`;
  const runnable = due.filter(({ type }) => workflows.has(type));
  if (runnable.length > 0) jobs.ensureJobs(...runnable);
  const unknown = due.filter(({ type }) => !workflows.has(type));
  if (unknown.length > 0) {
    const unknownTypes = [...new Set(unknown.map(({ type }) => type))];
    log.warn(
      { types: unknownTypes, count: unknown.length },
      "no workflow for these requests; a newer worker may have one",
    );
  }
}

/** Deletes the idempotency keys that are no longer honoured. */
export async function deleteExpiredIdempotencyKeys(db: Db): Promise<void> {
  await db.$executeRaw`DELETE FROM idempotency_keys WHERE created_at < now() - make_interval(days => ${IDEMPOTENCY_KEY_DAYS})`;
}
