import { type Db, isUnreachable } from "@gantry/db";
import type { RunState } from "./run-state.js";
import { Cancelled, LeaseLost, ShuttingDown } from "./stage-errors.js";

export interface LeaseDurations {
  /** The length of a lease that is not renewed. */
  leaseSeconds: number;
  /** The longest that one attempt at a call to the cloud may take; no change is sent with less of the lease left. */
  callSeconds: number;
}

/** The worker that holds leases. */
export interface LeaseHolder extends LeaseDurations {
  db: Db;
  isStopping(): boolean;
}

/** The number of renewals before a lease could run out. */
const RENEWALS_PER_LEASE = 5;

/** The exclusive right to run one Request, renewed by a timer until it is closed. */
export class Lease {
  private heldUntilMs: number;
  private isLost = false;
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;

  /** @param claimedAtMs the process's clock before the claim was sent */
  constructor(
    private readonly holder: LeaseHolder,
    private readonly state: RunState,
    claimedAtMs: number,
  ) {
    const leaseMs = holder.leaseSeconds * 1000;
    this.heldUntilMs = claimedAtMs + leaseMs;
    this.timer = setInterval(() => void this.renew().catch(() => {}), leaseMs / RENEWALS_PER_LEASE).unref();
  }

  /**
   * Resolves where a call to the cloud may start now; renews a lease of which less than such a call is left.
   *
   * @throws ShuttingDown, LeaseLost or Cancelled where it may not
   */
  async assertHeld(): Promise<void> {
    if (this.holder.isStopping()) throw new ShuttingDown("the worker is shutting down");
    if (!this.lastsForCall()) await this.renew();
    if (this.isLost || !this.lastsForCall()) throw new LeaseLost("the lease ran out");
    if (this.state.isCancelled) throw new Cancelled();
  }

  /** Ends the renewals; the lease then runs out unless the Request was given back. */
  close(): void {
    clearInterval(this.timer);
  }

  private lastsForCall(): boolean {
    return this.heldUntilMs - performance.now() >= this.holder.callSeconds * 1000;
  }

  private renew(): Promise<void> {
    this.renewing ??= this.extend().finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async extend(): Promise<void> {
    const sentAtMs = performance.now();
    const { id, fence } = this.state.request;
    const { db, leaseSeconds } = this.holder;
    try {
      const [row] = await db.$queryRaw<{ cancelRequestedAt: Date | null }[]>`
        UPDATE requests SET lease_until = now() + make_interval(secs => ${leaseSeconds})
        WHERE id = ${id}::uuid AND fence = ${fence} AND finished_at IS NULL AND lease_until IS NOT NULL
        RETURNING cancel_requested_at AS "cancelRequestedAt"`;
      if (row) {
        this.heldUntilMs = sentAtMs + leaseSeconds * 1000;
        this.state.recordCancel(row.cancelRequestedAt);
      } else this.isLost = true;
    } catch (error) {
      // The lease goes on running out; the next renewal tries again.
      if (!isUnreachable(error)) throw error;
    }
  }
}
