import { Prisma, violatedUnique } from "@gantry/db";
import { Lease, type LeaseHolder } from "./lease.js";
import { type ClaimedRow, RunState } from "./run-state.js";

/** The condition under which a Request is due and no worker holds it, as SQL on `requests r`. */
const DUE = Prisma.sql`
  r.finished_at IS NULL AND r.next_run_at <= now() AND (r.lease_until IS NULL OR r.lease_until < now())`;

/** The condition under which a Request may be run: it is due, and nothing earlier on its resource is unfinished. */
export const RUNNABLE = Prisma.sql`
  ${DUE} AND (r.started_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM requests earlier
    WHERE earlier.queue_key = r.queue_key AND earlier.finished_at IS NULL AND earlier.id <> r.id
      AND (earlier.seq < r.seq OR earlier.started_at IS NOT NULL)))`;

/** A Request that this worker may run: its state, and the lease that it must hold to change anything. */
export interface Claim {
  state: RunState;
  lease: Lease;
}

/** The worker that claims, and the request types that it knows. */
export interface Claimant extends LeaseHolder {
  workflows: ReadonlyMap<string, unknown>;
}

/**
 * Claims a Request that is runnable and of a type that the worker knows; gives undefined for any other. Claiming a Request
 * whose lease ran out counts as a takeover. The caller closes the lease.
 */
export async function claim(claimant: Claimant, requestId: string): Promise<Claim | undefined> {
  const types = [...claimant.workflows.keys()];
  const chosen = Prisma.sql`SELECT id FROM requests WHERE id = ${requestId}::uuid AND type = ANY(${types})`;
  return (await claimChosen(claimant, chosen)).claimed;
}

/**
 * Claims the Request that is due longest of the account for which the fewest run, as `claim` does; gives undefined where none
 * is runnable. Leaves out the Requests of `fullAccounts` and those whose watch wakes them.
 */
export async function claimNext(
  claimant: Claimant,
  { watched, fullAccounts }: { watched: Prisma.Sql; fullAccounts: readonly string[] },
): Promise<Claim | undefined> {
  const types = [...claimant.workflows.keys()];
  // The order comes first: only the rows up to the first runnable one are looked at for what blocks them.
  const fairest = Prisma.sql`
    WITH running AS (
      SELECT account_id, count(*) AS count FROM requests WHERE finished_at IS NULL AND lease_until >= now() GROUP BY 1)
    SELECT r.id FROM (
      SELECT r.id, r.finished_at, r.next_run_at, r.lease_until, r.started_at, r.queue_key, r.seq,
        coalesce(running.count, 0) AS running
      FROM requests r LEFT JOIN running USING (account_id)
      WHERE ${DUE} AND r.type = ANY(${types}) AND account_id <> ALL(${fullAccounts}::uuid[]) AND ${watched} IS NOT TRUE
      ORDER BY running, r.next_run_at OFFSET 0) r
    WHERE ${RUNNABLE} ORDER BY r.running, r.next_run_at LIMIT 1`;
  for (;;) {
    const { claimed, isTaken } = await claimChosen(claimant, fairest);
    if (!isTaken) return claimed;
  }
}

/**
 * Claims the Request whose id the query `chosen` gives.
 *
 * @returns the claim; or, without one, whether another worker took the chosen Request in the meantime
 */
async function claimChosen(claimant: Claimant, chosen: Prisma.Sql): Promise<{ claimed?: Claim; isTaken: boolean }> {
  const { db, leaseSeconds } = claimant;
  const sentAtMs = performance.now();
  // now() may come before the end of the Request that blocked this one: a start is read from the clock.
  try {
    const [row] = await db.$queryRaw<(ClaimedRow | { id: null })[]>`
      WITH chosen AS MATERIALIZED (${chosen}),
      claimed AS (
        UPDATE requests r SET
          fence = fence + 1, wake = wake + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
          takeovers = takeovers + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END,
          started_at = coalesce(started_at, clock_timestamp()), waiting_for = NULL, watch = NULL, awaited_children = 0, updated_at = now()
        FROM chosen WHERE r.id = chosen.id AND ${RUNNABLE} RETURNING r.*)
      SELECT claimed.id, account_id AS "accountId", type, resource_type AS "resourceType", resource_id AS "resourceId", input,
        trace_id AS "traceId", stage, stage_attempts AS "stageAttempts", message,
        rolling_back_since AS "rollingBackSince", cancel_requested_at AS "cancelRequestedAt", wake, fence, takeovers,
        cloud_wait AS "cloudWait",
        now() > deadline_at AS "isOverdue",
        coalesce(extract(epoch FROM now() - rolling_back_since) / 60, 0)::float8 AS "rollbackMinutes"
      FROM chosen LEFT JOIN claimed USING (id)`;
    if (!row) return { isTaken: false };
    if (row.id === null) return { isTaken: true };
    const state = new RunState(row);
    return { claimed: { state, lease: new Lease(claimant, state, sentAtMs) }, isTaken: false };
  } catch (error) {
    // Two Requests of one resource were claimed at the same time; the other claim came first.
    if (violatedUnique(error) === "requests_one_running_per_resource") return { isTaken: true };
    throw error;
  }
}
