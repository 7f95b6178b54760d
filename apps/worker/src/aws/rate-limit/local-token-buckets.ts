import { LRUCache } from "lru-cache";
import type { Rate } from "./published-rates.js";

/** The number of processes that keep to a rate without communication. */
const PROCESSES = 10;

/** One process's part of the rates while the shared buckets are unreachable, without any burst. */
export class LocalTokenBuckets {
  /** The time of each bucket's next token, and of its last reservation. */
  private readonly next = new LRUCache<string, { token: number; reserved: number }>({ max: 10_000 });

  constructor(
    private readonly now = () => performance.now(),
    private readonly random = Math.random,
  ) {}

  /** Returns the milliseconds until the call may be sent. Takes a token if that is at most `maxWaitMs`. */
  acquire(bucket: string, { perSecond }: Rate, maxWaitMs: number): number {
    const interval = (1000 / perSecond) * PROCESSES;
    const now = this.now();
    // Processes that lost Redis at the same time must not all start at the same time.
    const first = now + interval * this.random();
    const next = this.next.get(bucket) ?? { token: first, reserved: 0 };
    this.next.set(bucket, next);
    next.token = Math.max(next.token, now);
    if (next.token - now > maxWaitMs) {
      next.reserved = Math.max(next.reserved + interval, next.token);
      return next.reserved - now;
    }
    const waitMs = next.token - now;
    next.token += interval;
    return waitMs;
  }
}
