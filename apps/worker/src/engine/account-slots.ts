import { setTimeout as sleep } from "node:timers/promises";

/**
 * The part of a worker's concurrency that one account may use. On the rest, Requests of other accounts start at once.
 */
const ACCOUNT_SHARE = 4 / 5;
/** The longest wait for a slot of an account that uses its part. */
const PATIENCE_MS = 250;

/** The Requests that run on this worker, by account. */
export class AccountSlots {
  private readonly limit: number;
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @param concurrency the most Requests that run at a time */
  constructor(concurrency: number) {
    this.limit = Math.max(1, Math.floor(concurrency * ACCOUNT_SHARE));
  }

  /** The Requests that run now. */
  get inUse(): number {
    return [...this.running.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Takes a slot, which the caller releases; resolves with false if the account has none for now. */
  async take(accountId: string): Promise<boolean> {
    if (this.isFull(accountId)) await Promise.race([this.nextRelease(accountId), sleep(PATIENCE_MS)]);
    if (this.isFull(accountId)) return false;
    this.running.set(accountId, this.count(accountId) + 1);
    return true;
  }

  release(accountId: string): void {
    const remaining = this.count(accountId) - 1;
    if (remaining > 0) this.running.set(accountId, remaining);
    else this.running.delete(accountId);
    const waiting = this.waiting.get(accountId) ?? [];
    this.waiting.delete(accountId);
    for (const resolve of waiting) resolve();
  }

  private count(accountId: string): number {
    return this.running.get(accountId) ?? 0;
  }

  private isFull(accountId: string): boolean {
    return this.count(accountId) >= this.limit;
  }

  private nextRelease(accountId: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.set(accountId, [...(this.waiting.get(accountId) ?? []), resolve]);
    });
  }
}
