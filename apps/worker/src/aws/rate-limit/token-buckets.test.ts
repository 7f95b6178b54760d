import { randomUUID } from "node:crypto";
import { openRedis } from "@gantry/requests";
import { redisUrl } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { afterEach, expect, it } from "@jest/globals";
import type { Redis } from "ioredis";
import { LocalTokenBuckets } from "./local-token-buckets.js";
import type { Priority } from "./rate-limited-client.js";
import { RateLimited } from "./rate-limited-client.js";
import { REDIS_TIMEOUT_SECONDS, TokenBuckets } from "./token-buckets.js";

const opened: Redis[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.disconnect();
});

/** Asks as one of several processes would: what it is told, in milliseconds; a wait beyond patience counts as later. */
function processes(count: number, { share = 1, redis = redisUrl, prefix = `{${randomUUID()}}` } = {}) {
  const buckets = Array.from({ length: count }, () => {
    const connection = openRedis(redis, { answerSeconds: REDIS_TIMEOUT_SECONDS });
    connection.on("error", () => {});
    opened.push(connection);
    return new TokenBuckets(connection, prefix, share);
  });
  return {
    prefix,
    ask: async (
      rate: { burst: number; perSecond: number },
      call: string,
      process = 0,
      urgency: Priority = "normal",
    ) => {
      const pay = (buckets[process] as TokenBuckets).acquirerFor("1234:us-east-1");
      try {
        return { nowInMs: await pay({ bucket: "EC2:CreateVpc", rate }, call, urgency), laterInMs: undefined };
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error;
        return { nowInMs: undefined, laterInMs: error.seconds * 1000 };
      }
    },
  };
}

/** So slow that no token comes back while a test runs. */
const SLOW = { burst: 20, perSecond: 0.001 };

it("gives several processes together no more than the burst, and their own share of it", async () => {
  const whole = processes(3);
  const asked = await Promise.all(Array.from({ length: 90 }, (_, i) => whole.ask(SLOW, `call ${i}`, i % 3)));
  expect(asked.filter(({ nowInMs }) => nowInMs !== undefined)).toHaveLength(20);
  const half = processes(3, { share: 0.5 });
  const fewer = await Promise.all(Array.from({ length: 90 }, (_, i) => half.ask(SLOW, `call ${i}`, i % 3)));
  expect(fewer.filter(({ nowInMs }) => nowInMs !== undefined)).toHaveLength(10);
});

it("gives no more than the rate after the burst, in whatever time that takes", async () => {
  const rate = { burst: 5, perSecond: 40 };
  const { ask } = processes(2);
  const start = performance.now();
  let granted = 0;
  for (let round = 0; round < 15; round++) {
    const asked = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(rate, `${round} ${i}`, i % 2)));
    granted += asked.filter(({ nowInMs }) => nowInMs !== undefined).length;
  }
  const lastSentAt = (performance.now() - start) / 1000 + 1;
  expect(granted).toBeGreaterThan(rate.burst);
  expect(granted).toBeLessThanOrEqual(rate.burst + rate.perSecond * lastSentAt);
});

it("tells those who must wait to come back one after the other, and the same when they ask again", async () => {
  const { ask } = processes(2);
  const rate = { burst: 1, perSecond: 0.1 };
  await ask(rate, "first");
  const told = [];
  for (let i = 0; i < 5; i++) told.push((await ask(rate, `call ${i}`, i % 2)).laterInMs ?? 0);
  for (const [i, ms] of told.entries()) expect(Math.abs(ms - 10_000 * (i + 1))).toBeLessThan(5000);
  const again = (await ask(rate, "call 1")).laterInMs ?? 0;
  expect(again).toBeLessThanOrEqual(told[1] ?? 0);
  const next = (await ask(rate, "call 5")).laterInMs ?? 0;
  expect(next).toBeGreaterThan(told[4] ?? 0);
});

it("lets whoever was told to come back go before those who come later", async () => {
  const { ask } = processes(2);
  const rate = { burst: 1, perSecond: 0.8 };
  await ask(rate, "first");
  expect((await ask(rate, "told")).laterInMs).toBeDefined();
  let others = 0;
  await until(async () => {
    const other = await ask(rate, `other ${others++}`, 1);
    expect(other.nowInMs).toBeUndefined();
    return (await ask(rate, "told")).nowInMs !== undefined;
  });
  expect(others).toBeGreaterThan(0);
});

it("lets background work have what users' work leaves of half a bucket, and no place in the line", async () => {
  const { ask } = processes(1);
  const asked = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(SLOW, `call ${i}`, 0, "background")));
  expect(asked.filter(({ nowInMs }) => nowInMs !== undefined)).toHaveLength(10);
  const mine = await Promise.all(Array.from({ length: 11 }, (_, i) => ask(SLOW, `mine ${i}`)));
  expect(mine.filter(({ nowInMs }) => nowInMs !== undefined)).toHaveLength(10);
});

it("begins anew when Redis has lost everything", async () => {
  const { ask, prefix } = processes(1);
  await Promise.all(Array.from({ length: 21 }, (_, i) => ask(SLOW, `call ${i}`)));
  const redis = openRedis(redisUrl);
  const keys = await redis.keys(`${prefix}*`);
  await redis.del(keys);
  redis.disconnect();
  expect((await ask(SLOW, "after")).nowInMs).toBe(0);
});

it("goes on by itself while Redis is away, and background work rests", async () => {
  const { ask } = processes(1, { redis: "redis://127.0.0.1:1" });
  const rate = { burst: 5, perSecond: 1000 };
  expect((await ask(rate, "call")).nowInMs).toBeGreaterThanOrEqual(0);
  expect(await ask(rate, "call", 0, "background")).toEqual({ nowInMs: undefined, laterInMs: Number.POSITIVE_INFINITY });
});

it("keeps ten processes that cannot ask each other to the rate of one", () => {
  let now = 0;
  const buckets = Array.from(
    { length: 10 },
    (_, i) =>
      new LocalTokenBuckets(
        () => now,
        () => i / 10,
      ),
  );
  const rate = { burst: 50, perSecond: 5 };
  let granted = 0;
  for (; now < 20_000; now += 50) {
    granted += buckets.filter((each) => each.acquire("bucket", rate, 0) === 0).length;
  }
  expect(granted).toBeGreaterThan(90);
  expect(granted).toBeLessThanOrEqual(100);
});
