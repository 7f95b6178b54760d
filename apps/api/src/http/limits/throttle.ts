import type { RedisConnection } from "@gantry/queue";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { HttpError } from "../errors/errors.js";

const WINDOW_SECONDS = 60;
const SHARE_EVERY_MS = 50;

/** The rest of a key's limit in the current window. */
interface Allowance {
  remaining: number;
  resetsAt: number;
  /** Inputs counted here that the other processes do not know yet. */
  unshared: number;
}

/**
 * Limits the inputs of each key per minute. A decision is made from memory, without waiting; the processes share their
 * counts through Redis many times a second. Without Redis each process limits by itself.
 */
export class Throttle {
  private readonly allowances = new Map<string, Allowance>();
  private readonly shared?: RateLimiterRedis;
  private readonly timer: NodeJS.Timeout;

  constructor(
    redis: RedisConnection | undefined,
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
   * Counts one input of `key` in a class of routes.
   *
   * @returns the `RateLimit-*` headers
   * @throws 429 with `Retry-After` if the limit is reached
   */
  take(kind: string, key: string): Record<string, string> {
    const allowance = this.allowanceOf(kind, key);
    const headers = this.headersOf(kind, allowance);
    allowance.remaining--;
    allowance.unshared++;
    return headers;
  }

  /**
   * Counts nothing.
   *
   * @throws 429 as `take` does
   */
  require(kind: string, key: string): void {
    this.headersOf(kind, this.allowanceOf(kind, key));
  }

  private headersOf(kind: string, allowance: Allowance): Record<string, string> {
    const limit = this.limits[kind] ?? 0;
    const seconds = String(Math.ceil((allowance.resetsAt - Date.now()) / 1000));
    const headers = {
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(Math.max(0, allowance.remaining - 1)),
      "RateLimit-Reset": seconds,
    };
    if (allowance.remaining <= 0) {
      const sentence = `too many requests; try again in ${seconds} s`;
      throw new HttpError(429, "too_many_requests", [sentence], { headers: { ...headers, "Retry-After": seconds } });
    }
    return headers;
  }

  private allowanceOf(kind: string, key: string): Allowance {
    const name = `${kind}:${key}`;
    const now = Date.now();
    let allowance = this.allowances.get(name);
    if (!allowance || allowance.resetsAt <= now) {
      allowance = { remaining: this.limits[kind] ?? 0, resetsAt: now + WINDOW_SECONDS * 1000, unshared: 0 };
      this.allowances.set(name, allowance);
    }
    return allowance;
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
