import { type Db, isUnreachable, Prisma, type Request, violatedUnique } from "@gantry/db";
import { Cancelled, LeaseLost, ShuttingDown } from "./stage-errors.js";

/** The times that a lease lives by, in seconds. */
export interface LeaseDurations {
  leaseSeconds: number;
  /** The longest that one attempt at a call to the cloud may take; no change is sent with less of the lease left. */
  callSeconds: number;
}

/** How often a lease is renewed before it could run out. */
const RENEWALS_PER_LEASE = 5;

/**
 * The condition under which a Request may be run: it is due, nobody holds it, and nothing earlier on its resource is
 * unfinished. `r` is the Request.
 */
export const RUNNABLE = Prisma.sql`
  r.finished_at IS NULL AND r.next_run_at <= now() AND (r.lease_until IS NULL OR r.lease_until < now())
  AND (r.started_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM requests earlier
    WHERE earlier.queue_key = r.queue_key AND earlier.finished_at IS NULL AND earlier.id <> r.id
      AND (earlier.seq < r.seq OR earlier.started_at IS NOT NULL)))`;

export type ClaimedRequest = Pick<
  Request,
  | "id"
  | "accountId"
  | "type"
  | "parentId"
  | "resourceType"
  | "resourceId"
  | "input"
  | "traceId"
  | "stage"
  | "stageAttempts"
  | "message"
  | "rollingBackSince"
  | "cancelRequestedAt"
  | "wake"
  | "fence"
  | "takeovers"
> & { overdue: boolean; rollbackMinutes: number };

/**
 * Takes a Request that is runnable and of a type in `types`, or gives undefined. Taking one whose lease ran out counts
 * as a takeover.
 */
export async function claim(
  db: Db,
  requestId: string,
  types: string[],
  durations: LeaseDurations,
  isStopping: () => boolean,
): Promise<Lease | undefined> {
  const requestedAt = performance.now();
  try {
    const [request] = await db.$queryRaw<ClaimedRequest[]>`
      UPDATE requests r SET
        fence = fence + 1, wake = wake + 1, lease_until = now() + make_interval(secs => ${durations.leaseSeconds}),
        takeovers = takeovers + CASE WHEN lease_until IS NULL THEN 0 ELSE 1 END,
        started_at = coalesce(started_at, now()), waiting_for = NULL, watch = NULL, awaited_children = 0, updated_at = now()
      WHERE r.id = ${requestId}::uuid AND r.type = ANY(${types}) AND ${RUNNABLE}
      RETURNING id, account_id AS "accountId", type, parent_id AS "parentId", resource_type AS "resourceType",
        resource_id AS "resourceId", input, trace_id AS "traceId", stage, stage_attempts AS "stageAttempts", message,
        rolling_back_since AS "rollingBackSince", cancel_requested_at AS "cancelRequestedAt", wake, fence, takeovers,
        now() > deadline_at AS overdue,
        coalesce(extract(epoch FROM now() - rolling_back_since) / 60, 0)::float8 AS "rollbackMinutes"`;
    return request && new Lease(db, request, durations, requestedAt, isStopping);
  } catch (error) {
    // Two Requests of one resource were claimed in the same moment; the other one came first.
    if (violatedUnique(error) === "requests_one_running_per_resource") return undefined;
    throw error;
  }
}

/** The right to run one Request, kept alive until it is closed. */
export class Lease {
  /** What was saved since the claim; a run that saved something was not in vain. */
  progress = 0;
  /** When the stage under way was first entered, or the rollback began. */
  stageEnteredAt: Date;
  private heldUntil: number;
  private lost = false;
  private cancelled: boolean;
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly db: Db,
    readonly request: ClaimedRequest,
    private readonly durations: LeaseDurations,
    requested: number,
    private readonly isStopping: () => boolean,
  ) {
    this.heldUntil = requested + durations.leaseSeconds * 1000;
    this.cancelled = request.cancelRequestedAt !== null;
    this.stageEnteredAt = request.rollingBackSince ?? new Date();
    this.timer = setInterval(
      () => void this.renew().catch(() => {}),
      (durations.leaseSeconds * 1000) / RENEWALS_PER_LEASE,
    ).unref();
  }

  /** Passes where a call to the cloud may be started now, and throws the reason where not. */
  async assertHeld(): Promise<void> {
    if (this.isStopping()) throw new ShuttingDown("the worker is shutting down");
    if (this.remainingMs() < this.durations.callSeconds * 1000) await this.renew();
    if (this.lost || this.remainingMs() < this.durations.callSeconds * 1000) {
      throw new LeaseLost("the lease ran out");
    }
    if (this.cancelled && !this.request.rollingBackSince) throw new Cancelled("Cancelled");
  }

  /** Takes note of a cancel that another statement has seen. */
  recordCancel(requestedAt: Date | null | undefined): void {
    if (requestedAt) this.cancelled = true;
  }

  /** How long the stage under way has been going on, over all its runs. */
  minutesInStage(): number {
    return (Date.now() - this.stageEnteredAt.getTime()) / 60_000;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private remainingMs(): number {
    return this.heldUntil - performance.now();
  }

  private renew(): Promise<void> {
    this.renewing ??= this.extend().finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async extend(): Promise<void> {
    const requestedAt = performance.now();
    const { id, fence } = this.request;
    try {
      const [row] = await this.db.$queryRaw<{ cancelRequestedAt: Date | null }[]>`
        UPDATE requests SET lease_until = now() + make_interval(secs => ${this.durations.leaseSeconds})
        WHERE id = ${id}::uuid AND fence = ${fence} AND finished_at IS NULL AND lease_until IS NOT NULL
        RETURNING cancel_requested_at AS "cancelRequestedAt"`;
      if (row) {
        this.heldUntil = requestedAt + this.durations.leaseSeconds * 1000;
        this.recordCancel(row.cancelRequestedAt);
      } else this.lost = true;
    } catch (error) {
      // The lease goes on running out; the next beat tries again.
      if (!isUnreachable(error)) throw error;
    }
  }
}
