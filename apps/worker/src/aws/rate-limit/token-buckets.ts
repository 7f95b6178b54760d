import { once } from "node:events";
import type { Redis } from "ioredis";
import { LocalTokenBuckets } from "./local-token-buckets.js";
import type { Rate } from "./published-rates.js";
import { type AcquireToken, RateLimited } from "./rate-limited-client.js";

/** The longest that a call is held up in its worker until its turn comes; a longer wait is slept in the database. */
const MAX_WAIT_SECONDS = 1;

/** How long a connection to Redis, and then its answer, is waited for. */
export const REDIS_TIMEOUT_SECONDS = 1;

/** How long Redis is left alone after it did not answer, in milliseconds. */
const REDIS_RETRY_MS = 5000;

/** For how long who was told to come back keeps his place after his turn has come, in milliseconds. */
const RESERVATION_MS = 600_000;

/** What background work leaves in a bucket for users' work. */
const USER_SHARE = 0.5;

// GCRA: `full` is when the bucket will be full again. Who must wait longer than `patience` gets a place in a line, one
// token's time behind the last; his token is taken when he comes back, so a late one never makes AWS see a burst.
const TAKE = `
local time = redis.call("TIME")
local now = time[1] * 1000 + time[2] / 1000
local interval, burst, patience, kept, spare = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local state = redis.call("HMGET", KEYS[1], "full", "line")
local full = math.max(tonumber(state[1] or 0), now)
local line = math.max(tonumber(state[2] or 0), now)
local free = math.max(full - (burst - 1) * interval - now, 0)
if spare > 0 then
  if line > now or full - (burst * (1 - spare) - 1) * interval > now then return tostring(patience + interval) end
else
  local place = tonumber(redis.call("GET", KEYS[2]) or -1)
  if place > now + patience then return tostring(place - now) end
  if free > patience or (place < 0 and line > now + patience) then
    place = math.max(line > now and line + interval or 0, now + free)
    redis.call("HSET", KEYS[1], "line", string.format("%.3f", place))
    redis.call("PEXPIREAT", KEYS[1], math.ceil(math.max(place, full)) + 1000)
    redis.call("SET", KEYS[2], string.format("%.3f", place), "PX", math.ceil(place - now + kept))
    return tostring(place - now)
  end
  redis.call("DEL", KEYS[2])
end
redis.call("HSET", KEYS[1], "full", string.format("%.3f", full + interval))
redis.call("PEXPIREAT", KEYS[1], math.ceil(math.max(line, full + interval)) + 1000)
return tostring(free)`;

interface WithTake extends Redis {
  takeToken(
    bucket: string,
    place: string,
    intervalMs: number,
    burst: number,
    patienceMs: number,
    keptMs: number,
    sparePart: number,
  ): Promise<string>;
}

/**
 * Token buckets that all workers share in Redis. While Redis does not answer, each process keeps small ones of its own.
 *
 * @param redis a connection that fails after `REDIS_TIMEOUT_SECONDS` and takes no commands while it is broken
 * @param prefix what the buckets' keys in Redis start with
 * @param share the part of each rate that is ours to use
 */
export class TokenBuckets {
  private readonly redis: WithTake;
  private readonly local = new LocalTokenBuckets();
  private connecting: Promise<unknown> | undefined;
  private redisPausedUntil = 0;

  constructor(
    redis: Redis,
    private readonly prefix: string,
    private readonly share: number,
  ) {
    this.redis = redis as WithTake;
    this.redis.defineCommand("takeToken", { numberOfKeys: 2, lua: TAKE });
  }

  /** The buckets of one place in the cloud. */
  acquirerFor(place: string): AcquireToken {
    return async ({ bucket, rate }, call, urgency) => {
      const mine = { burst: Math.max(1, rate.burst * this.share), perSecond: rate.perSecond * this.share };
      const waitMs = await this.acquire(`${place}:${bucket}`, mine, call, urgency === "background" ? USER_SHARE : 0);
      if (waitMs > MAX_WAIT_SECONDS * 1000) throw new RateLimited(waitMs / 1000);
      return waitMs;
    };
  }

  private async connected(): Promise<void> {
    if (this.redis.status === "ready") return;
    this.connecting ??= once(this.redis, "ready", {
      signal: AbortSignal.timeout(REDIS_TIMEOUT_SECONDS * 1000),
    }).finally(() => {
      this.connecting = undefined;
    });
    await this.connecting;
  }

  private async acquire(bucket: string, rate: Rate, call: string, sparePart: number): Promise<number> {
    const { burst, perSecond } = rate;
    const patienceMs = MAX_WAIT_SECONDS * 1000;
    const alone = () => (sparePart > 0 ? Number.POSITIVE_INFINITY : this.local.acquire(bucket, rate, patienceMs));
    if (performance.now() < this.redisPausedUntil) return alone();
    const key = `${this.prefix}:tokens:${bucket}`;
    try {
      await this.connected();
      const waitMs = await this.redis.takeToken(
        ...[key, `${key}:${call}`, 1000 / perSecond, burst, patienceMs, RESERVATION_MS, sparePart],
      );
      return Number(waitMs);
    } catch {
      this.redisPausedUntil = performance.now() + REDIS_RETRY_MS;
      return alone();
    }
  }
}
