import { once } from "node:events";
import type { Cluster, Redis } from "ioredis";
import { LocalTokenBuckets } from "./local-token-buckets.js";
import type { Rate } from "./published-rates.js";
import { type AcquireToken, RateLimited } from "./rate-limited-client.js";

/** The longest that a call waits in its worker; for a longer wait its Request sleeps. */
const MAX_WAIT_MS = 1000;

/** The longest wait for a connection to Redis, and then for its answer. */
export const REDIS_TIMEOUT_SECONDS = 1;

/** The pause after Redis did not answer. */
const REDIS_RETRY_MS = 5000;

/** The time that a reservation lasts after its call may be sent. */
const RESERVATION_MS = 600_000;

/** The part of a bucket that background calls leave for users' calls. */
const USER_SHARE = 0.5;

// GCRA: `full` is the time at which the bucket is full again. A call that must wait longer than `max_wait` gets a
// reservation, one token's time after the last reservation (`line`). Its token is taken when the call returns, so that a
// call which returns late never makes AWS see a burst.
const TAKE_TOKEN = `
local time = redis.call("TIME")
local now = time[1] * 1000 + time[2] / 1000
local interval, burst, max_wait, kept, user_share = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local state = redis.call("HMGET", KEYS[1], "full", "line")
local full = math.max(tonumber(state[1] or 0), now)
local line = math.max(tonumber(state[2] or 0), now)
local free = math.max(full - (burst - 1) * interval - now, 0)
if user_share > 0 then
  if line > now or full - (burst * (1 - user_share) - 1) * interval > now then return tostring(max_wait + interval) end
else
  local reserved = tonumber(redis.call("GET", KEYS[2]) or -1)
  if reserved > now + max_wait then return tostring(reserved - now) end
  if free > max_wait or (reserved < 0 and line > now + max_wait) then
    reserved = math.max(line > now and line + interval or 0, now + free)
    redis.call("HSET", KEYS[1], "line", string.format("%.3f", reserved))
    redis.call("PEXPIREAT", KEYS[1], math.ceil(math.max(reserved, full)) + 1000)
    redis.call("SET", KEYS[2], string.format("%.3f", reserved), "PX", math.ceil(reserved - now + kept))
    return tostring(reserved - now)
  end
  redis.call("DEL", KEYS[2])
end
redis.call("HSET", KEYS[1], "full", string.format("%.3f", full + interval))
redis.call("PEXPIREAT", KEYS[1], math.ceil(math.max(line, full + interval)) + 1000)
return tostring(free)`;

type RedisWithTakeToken = (Redis | Cluster) & {
  takeToken(
    bucket: string,
    reservation: string,
    intervalMs: number,
    burst: number,
    maxWaitMs: number,
    keptMs: number,
    userShare: number,
  ): Promise<string>;
};

/**
 * Token buckets that all workers share in Redis. While Redis does not answer, every process keeps small local ones.
 *
 * @param redis a connection that fails after `REDIS_TIMEOUT_SECONDS` and accepts no commands while it is broken
 * @param prefix the start of the buckets' keys in Redis
 * @param share the part of the published rates that the workers use, above 0 and at most 1
 */
export class TokenBuckets {
  private readonly redis: RedisWithTakeToken;
  private readonly local = new LocalTokenBuckets();
  private connecting: Promise<unknown> | undefined;
  private redisPausedUntil = 0;

  constructor(
    redis: Redis | Cluster,
    private readonly prefix: string,
    private readonly share: number,
  ) {
    this.redis = redis as RedisWithTakeToken;
    this.redis.defineCommand("takeToken", { numberOfKeys: 2, lua: TAKE_TOKEN });
  }

  /** Returns the function that acquires tokens of one AWS account and region; `scope` names the two. */
  acquirerFor(scope: string): AcquireToken {
    return async ({ bucket, rate }, call, priority) => {
      const ours = { burst: Math.max(1, rate.burst * this.share), perSecond: rate.perSecond * this.share };
      const waitMs = await this.acquire(`${scope}:${bucket}`, ours, call, priority === "background" ? USER_SHARE : 0);
      if (waitMs > MAX_WAIT_MS) throw new RateLimited(waitMs / 1000);
      return waitMs;
    };
  }

  private async connect(): Promise<void> {
    if (this.redis.status === "ready") return;
    this.connecting ??= once(this.redis, "ready", {
      signal: AbortSignal.timeout(REDIS_TIMEOUT_SECONDS * 1000),
    }).finally(() => {
      this.connecting = undefined;
    });
    await this.connecting;
  }

  private async acquire(bucket: string, rate: Rate, call: string, userShare: number): Promise<number> {
    const { burst, perSecond } = rate;
    const acquireLocally = () =>
      userShare > 0 ? Number.POSITIVE_INFINITY : this.local.acquire(bucket, rate, MAX_WAIT_MS);
    if (performance.now() < this.redisPausedUntil) return acquireLocally();
    const key = `${this.prefix}:tokens:${bucket}`;
    try {
      await this.connect();
      const waitMs = await this.redis.takeToken(
        ...[key, `${key}:${call}`, 1000 / perSecond, burst, MAX_WAIT_MS, RESERVATION_MS, userShare],
      );
      return Number(waitMs);
    } catch {
      this.redisPausedUntil = performance.now() + REDIS_RETRY_MS;
      return acquireLocally();
    }
  }
}
