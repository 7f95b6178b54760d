import type { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { HttpError } from "./errors.js";

const WINDOW_SECONDS = 60;
const SHARE_EVERY_MS = 50;

/** How much of its limit a key has left. */
interface Allowance {
  remaining: number;
  resetsAt: number;
  /** Taken here since the other processes were last told. */
  unshared: number;
}

/**
 * Limits how often each key may ask in a minute. It decides from memory, so it never waits, and evens out with the
 * other processes through Redis many times a second. Without Redis each process keeps the limit by itself.
 */
export class Throttle {
  private readonly allowances = new Map<string, Allowance>();
  private readonly shared?: RateLimiterRedis;
  private readonly timer: NodeJS.Timeout;

  constructor(
    redis: Redis | undefined,
    prefix: string,
    private readonly limits: Readonly<Record<string, number>>,
  ) {
    if (redis) {
      this.shared = new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${prefix}:rate`,
        points: Math.max(...Object.values(limits)),
        duration: WINDOW_SECONDS,
      });
    }
    this.timer = setInterval(() => this.share(), SHARE_EVERY_MS).unref();
  }

  /**
   * Takes one from the allowance of `key` in a class of routes.
   *
   * @returns the `RateLimit-*` headers
   * @throws 429 with `Retry-After` where nothing is left
   */
  take(kind: string, key: string): Record<string, string> {
    const name = `${kind}:${key}`;
    const limit = this.limits[kind] ?? 0;
    const now = Date.now();
    let allowance = this.allowances.get(name);
    if (!allowance || allowance.resetsAt <= now) {
      allowance = { remaining: limit, resetsAt: now + WINDOW_SECONDS * 1000, unshared: 0 };
      this.allowances.set(name, allowance);
    }
    const seconds = String(Math.ceil((allowance.resetsAt - now) / 1000));
    const headers = {
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(Math.max(0, allowance.remaining - 1)),
      "RateLimit-Reset": seconds,
    };
    if (allowance.remaining <= 0) {
      const sentence = `too many requests; try again in ${seconds} s`;
      throw new HttpError(429, "too_many_requests", [sentence], { headers: { ...headers, "Retry-After": seconds } });
    }
    allowance.remaining--;
    allowance.unshared++;
    return headers;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private share(): void {
    const now = Date.now();
    for (const [name, allowance] of this.allowances) {
      if (allowance.resetsAt <= now) this.allowances.delete(name);
      else if (allowance.unshared > 0) void this.shareAllowance(name, allowance);
    }
  }

  private async shareAllowance(name: string, allowance: Allowance): Promise<void> {
    const { unshared } = allowance;
    allowance.unshared = 0;
    const limit = this.limits[name.slice(0, name.indexOf(":"))] ?? 0;
    const answer = await this.shared?.penalty(name, unshared).catch(() => undefined);
    if (!answer) return;
    allowance.remaining = limit - answer.consumedPoints - allowance.unshared;
    allowance.resetsAt = Date.now() + answer.msBeforeNext;
  }
}
