import { setTimeout as sleep } from "node:timers/promises";
import { isUnavailable } from "@gantry/db";
import type { LeaseHolder } from "./lease-holder.js";
import { LeaseRenewals, type RenewableLease } from "./lease-renewals.js";
import type { RunState } from "./run-state.js";
import { Cancelled, LeaseLost, ShuttingDown } from "./stage-errors.js";

/**
 * The rest of a lease after the longest call that started right after its extension; more calls may start in that time.
 */
const SLACK_SECONDS = 1;

/** The pause between two tries to extend a lease while the database is away. */
const RETRY_MS = 100;

/** The exclusive right to run one Request, renewed with the worker's other leases until it is closed. */
export class Lease implements RenewableLease {
  private heldUntilMs: number;
  private isLost = false;
  private changes = 0;
  private calls = 0;
  private extending: Promise<void> | undefined;
  private readonly renewals: LeaseRenewals;

  /** @param claimedAtMs the process's clock before the claim was sent */
  constructor(
    private readonly holder: LeaseHolder,
    private readonly state: RunState,
    claimedAtMs: number,
  ) {
    this.heldUntilMs = claimedAtMs + holder.leaseSeconds * 1000;
    this.renewals = LeaseRenewals.of(holder);
    this.renewals.add(this);
  }

  get requestId(): string {
    return this.state.request.id;
  }

  get fence(): number {
    return this.state.request.fence;
  }

  get isChanging(): boolean {
    return this.changes > 0;
  }

  /** The attempts at calls of the cloud under this lease. */
  get cloudCalls(): number {
    return this.calls;
  }

  countCall(): void {
    this.calls += 1;
  }

  /**
   * Resolves if the run may go on.
   *
   * @throws ShuttingDown, LeaseLost or Cancelled if not
   */
  async assertHeld(): Promise<void> {
    await this.assertHeldFor(0);
  }

  /**
   * Makes a change of the cloud if the run may go on, under a lease that outlasts it.
   *
   * @param change one attempt at a call that takes no longer than `callSeconds`
   * @throws ShuttingDown, LeaseLost or Cancelled if the run may not go on
   */
  async duringChange<T>(change: () => Promise<T>): Promise<T> {
    this.changes += 1;
    try {
      await this.assertHeldFor(this.holder.callSeconds);
      return await change();
    } finally {
      this.changes -= 1;
    }
  }

  /** Ends the renewals; the lease then runs out unless the Request was released. */
  close(): void {
    this.renewals.delete(this);
  }

  shortenTo(untilMs: number): void {
    if (!this.isChanging) this.heldUntilMs = Math.min(this.heldUntilMs, untilMs);
  }

  recordRenewal(untilMs: number, cancelRequestedAt: Date | null): void {
    this.heldUntilMs = Math.max(this.heldUntilMs, untilMs);
    this.state.recordCancel(cancelRequestedAt);
  }

  private async assertHeldFor(seconds: number): Promise<void> {
    if (this.holder.isStopping()) throw new ShuttingDown("the worker is shutting down");
    while (!this.lastsFor(seconds)) {
      await this.extend();
      if (this.isLost || !this.lastsFor(0)) throw new LeaseLost("the lease ran out");
      if (!this.lastsFor(seconds)) await sleep(RETRY_MS);
    }
    if (this.isLost) throw new LeaseLost("the lease ran out");
    if (this.state.isCancelled) throw new Cancelled();
  }

  private lastsFor(seconds: number): boolean {
    return this.heldUntilMs - performance.now() >= seconds * 1000;
  }

  private extend(): Promise<void> {
    this.extending ??= this.extendForCall().finally(() => {
      this.extending = undefined;
    });
    return this.extending;
  }

  private async extendForCall(): Promise<void> {
    const { db, leaseSeconds, callSeconds } = this.holder;
    const seconds = Math.max(leaseSeconds, callSeconds + SLACK_SECONDS);
    // Treated as a change, so that no renewal shortens the lease before its extension is recorded.
    this.changes += 1;
    try {
      // A renewal that was sent earlier may still shorten it.
      await this.renewals.settled();
      const sentAtMs = performance.now();
      const [row] = await db.$queryRaw<{ cancelRequestedAt: Date | null }[]>`
        UPDATE requests SET lease_until = now() + make_interval(secs => ${seconds})
        WHERE id = ${this.requestId}::uuid AND fence = ${this.fence} AND finished_at IS NULL AND lease_until IS NOT NULL
        RETURNING cancel_requested_at AS "cancelRequestedAt"`;
      if (row) this.recordRenewal(sentAtMs + seconds * 1000, row.cancelRequestedAt);
      else this.isLost = true;
    } catch (error) {
      // The lease continues to run out.
      if (!isUnavailable(error)) throw error;
    } finally {
      this.changes -= 1;
    }
  }
}
