/** How many rings an account may have at once, and how many a second, before it counts as a flood. */
const BURST = 10;
const PER_SECOND = 5;

const INTERVAL_MS = 1000 / PER_SECOND;
/** How many accounts are remembered before those that owe nothing are forgotten. */
const MAX_ACCOUNTS = 10_000;

/** Tells floods from single rings, account by account, as far as one process sees them. */
export class NotificationRate {
  /** When what each account has rung would be over, at the pace allowed. */
  private readonly usedUntil = new Map<string, number>();

  /** Counts a ring and gives by how many the account is beyond its pace; 0 where it is not. */
  excess(accountId: string, now = Date.now()): number {
    const usedUntil = Math.max(this.usedUntil.get(accountId) ?? 0, now) + INTERVAL_MS;
    this.usedUntil.set(accountId, usedUntil);
    if (this.usedUntil.size > MAX_ACCOUNTS) this.removeIdle(now);
    return Math.max(0, Math.ceil((usedUntil - now) / INTERVAL_MS) - BURST);
  }

  private removeIdle(now: number): void {
    for (const [accountId, usedUntil] of this.usedUntil) if (usedUntil <= now) this.usedUntil.delete(accountId);
  }
}
