/** The notifications of an account at once, and per second, before further ones exceed its rate. */
const BURST = 10;
const PER_SECOND = 5;

const INTERVAL_MS = 1000 / PER_SECOND;
/** The number of accounts in memory at which those within their rate are removed. */
const MAX_ACCOUNTS = 10_000;

/** Counts the notifications of each account that exceed its rate, as far as one process sends them. */
export class NotificationRate {
  /** The time at which each account's notifications would all be sent, at the rate allowed. */
  private readonly usedUntil = new Map<string, number>();

  /** Counts a notification and gives the number by which the account exceeds its rate, or 0. `now` is in milliseconds. */
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
