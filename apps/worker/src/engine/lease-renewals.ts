import type { LeaseHolder } from "./lease-holder.js";

/** A lease, as far as its renewals need it. */
export interface RenewableLease {
  readonly requestId: string;
  readonly fence: number;
  /** Whether a change of the cloud may be under way, which the lease outlasts. */
  readonly isChanging: boolean;
  /** Records that a statement is about to let the lease end then, or later if a change is under way. */
  shortenTo(untilMs: number): void;
  /** Records that a statement has made the lease last until then at least. */
  recordRenewal(untilMs: number, cancelRequestedAt: Date | null): void;
}

/** The number of renewals before a lease could run out. */
const RENEWALS_PER_LEASE = 4;

const ofHolders = new WeakMap<LeaseHolder, LeaseRenewals>();

/** Renews all leases of a worker with one statement at a time, for as long as it holds any. */
export class LeaseRenewals {
  private readonly leases = new Set<RenewableLease>();
  private timer: NodeJS.Timeout | undefined;
  private renewing: Promise<void> | undefined;

  private constructor(private readonly holder: LeaseHolder) {}

  /** Returns the renewals of a worker, the same ones for all of its leases. */
  static of(holder: LeaseHolder): LeaseRenewals {
    const known = ofHolders.get(holder) ?? new LeaseRenewals(holder);
    ofHolders.set(holder, known);
    return known;
  }

  add(lease: RenewableLease): void {
    this.leases.add(lease);
    const intervalMs = (this.holder.leaseSeconds * 1000) / RENEWALS_PER_LEASE;
    this.timer ??= setInterval(() => void this.renew(), intervalMs).unref();
  }

  delete(lease: RenewableLease): void {
    this.leases.delete(lease);
    if (this.leases.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Resolves when no renewal is under way. */
  async settled(): Promise<void> {
    await this.renewing;
  }

  /** Renews now, unless a renewal is under way. Never rejects: a lease that is not renewed continues to run out. */
  renew(): Promise<void> {
    this.renewing ??= this.renewAll()
      .catch(() => {})
      .finally(() => {
        this.renewing = undefined;
      });
    return this.renewing;
  }

  private async renewAll(): Promise<void> {
    const { db, leaseSeconds } = this.holder;
    const leases = [...this.leases];
    const held = leases.map(({ requestId: id, fence, isChanging: is_changing }) => ({ id, fence, is_changing }));
    const untilMs = performance.now() + leaseSeconds * 1000;
    for (const lease of leases) lease.shortenTo(untilMs);
    // A row that a statement of its run has locked is left for the next time: waiting for several rows could deadlock.
    const renewed = await db.$queryRaw<{ id: string; fence: number; cancelRequestedAt: Date | null }[]>`
      WITH held AS (
        SELECT r.id, h.is_changing
        FROM jsonb_to_recordset(${JSON.stringify(held)}::jsonb) AS h(id uuid, fence int, is_changing boolean)
        JOIN requests r ON r.id = h.id
        WHERE r.fence = h.fence AND r.finished_at IS NULL AND r.lease_until IS NOT NULL
        FOR UPDATE OF r SKIP LOCKED)
      UPDATE requests r SET lease_until = greatest(
        now() + make_interval(secs => ${leaseSeconds}), CASE WHEN held.is_changing THEN r.lease_until END)
      FROM held WHERE r.id = held.id
      RETURNING r.id, r.fence, r.cancel_requested_at AS "cancelRequestedAt"`;
    for (const { id, fence, cancelRequestedAt } of renewed)
      leases
        .find((lease) => lease.requestId === id && lease.fence === fence)
        ?.recordRenewal(untilMs, cancelRequestedAt);
  }
}
