import { violatedUnique } from "@gantry/db";
import { RUNNABLE } from "@gantry/requests";
import { startDelay, takeovers } from "@gantry/telemetry";
import { Lease } from "./lease.js";
import type { LeaseHolder } from "./lease-holder.js";
import { type ClaimedRow, RunState } from "./run-state.js";

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
 * Claims a Request that is runnable and of a type that the worker knows; returns undefined for any other. Claiming a Request
 * whose lease ran out counts as a takeover. The caller closes the lease.
 */
export async function claim(claimant: Claimant, requestId: string): Promise<Claim | undefined> {
  const { db, leaseSeconds, workflows } = claimant;
  const sentAtMs = performance.now();
  try {
    // now() may come before the end of the Request that blocked this one: a start is read from the clock.
    const [row] = await db.$queryRaw<ClaimedRow[]>`
      UPDATE requests r SET
        fence = fence + 1, wake = wake + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
        takeovers = takeovers + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END,
        started_at = coalesce(started_at, clock_timestamp()), waiting_for = NULL, watch = NULL, awaited_children = 0,
        updated_at = now()
      WHERE r.id = ${requestId}::uuid AND r.type = ANY(${[...workflows.keys()]}) AND ${RUNNABLE}
      RETURNING id, account_id AS "accountId", type, resource_type AS "resourceType", resource_id AS "resourceId", input,
        trace_id AS "traceId", parent_span AS "parentSpan", created_at AS "createdAt", stage, stage_attempts AS "stageAttempts", message,
        rolling_back_since AS "rollingBackSince", cancel_requested_at AS "cancelRequestedAt", wake, fence, takeovers,
        cloud_wait AS "cloudWait",
        now() > deadline_at AS "isOverdue", extract(epoch FROM clock_timestamp() - created_at)::float8 AS "ageSeconds",
        coalesce(extract(epoch FROM now() - rolling_back_since) / 60, 0)::float8 AS "rollbackMinutes"`;
    if (!row) return undefined;
    const { type } = row;
    if (row.takeovers > 0) takeovers.inc({ type });
    if (row.fence === 1) startDelay.observe({ type }, row.ageSeconds);
    const state = new RunState(row);
    return { state, lease: new Lease(claimant, state, sentAtMs) };
  } catch (error) {
    // Two Requests of one resource were claimed at the same time; the other claim came first.
    if (violatedUnique(error) === "requests_one_running_per_resource") return undefined;
    throw error;
  }
}
