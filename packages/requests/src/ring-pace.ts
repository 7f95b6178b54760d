/** How many rings an account may have at once, and how many a second, before it counts as a flood. */
const BURST = 10;
const PER_SECOND = 5;

const INTERVAL_MS = 1000 / PER_SECOND;
/** How many accounts are remembered before those that owe nothing are forgotten. */
const REMEMBERED = 10_000;

/** Tells floods from single rings, account by account, as far as one process sees them. */
export class RingPace {
  /** When what each account has rung would be over, at the pace allowed. */
  private readonly paidUntil = new Map<string, number>();

  /** Counts a ring and gives by how many the account is beyond its pace; 0 where it is not. */
  excess(accountId: string, now = Date.now()): number {
    const paidUntil = Math.max(this.paidUntil.get(accountId) ?? 0, now) + INTERVAL_MS;
    this.paidUntil.set(accountId, paidUntil);
    if (this.paidUntil.size > REMEMBERED) this.forget(now);
    return Math.max(0, Math.ceil((paidUntil - now) / INTERVAL_MS) - BURST);
  }

  private forget(now: number): void {
    for (const [accountId, paidUntil] of this.paidUntil) if (paidUntil <= now) this.paidUntil.delete(accountId);
  }
}
