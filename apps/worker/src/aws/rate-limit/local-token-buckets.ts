import { LRUCache } from "lru-cache";
import type { Rate } from "./published-rates.js";

/** How many processes may keep to a rate together without asking each other. */
const PROCESSES = 10;

/** One process's own part of rates that it cannot share out with the others, and nothing in store. */
export class LocalTokenBuckets {
  /** When each bucket gives its next token, and when whoever has to wait longer may come back. */
  private readonly next = new LRUCache<string, { token: number; place: number }>({ max: 10_000 });

  constructor(
    private readonly now = () => performance.now(),
    private readonly random = Math.random,
  ) {}

  /** Takes a token and gives how soon it is there; where that is longer than `patienceMs`, takes none and says when to come back. */
  acquire(bucket: string, { perSecond }: Rate, maxWaitMs: number): number {
    const interval = (1000 / perSecond) * PROCESSES;
    const now = this.now();
    // The processes that lost Redis together do not all begin in the same moment.
    const first = now + interval * this.random();
    const next = this.next.get(bucket) ?? { token: first, place: 0 };
    this.next.set(bucket, next);
    next.token = Math.max(next.token, now);
    if (next.token - now > maxWaitMs) {
      next.place = Math.max(next.place + interval, next.token);
      return next.place - now;
    }
    const waitMs = next.token - now;
    next.token += interval;
    return waitMs;
  }
}
