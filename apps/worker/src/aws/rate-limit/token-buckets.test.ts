import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connectRedis, type RedisConnection } from "@gantry/queue";
import { redisUrl } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { LocalTokenBuckets } from "./local-token-buckets.js";
import type { Rate } from "./published-rates.js";
import { type Priority, RateLimited } from "./rate-limited-client.js";
import { REDIS_TIMEOUT_SECONDS, TokenBuckets } from "./token-buckets.js";

const opened: RedisConnection[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.disconnect();
});

/**
 * Several processes with the same buckets: `acquire` returns the wait of a call that gets its token, or of a rejected
 * one.
 */
async function processes(count: number, { share = 1 } = {}) {
  const prefix = `{${randomUUID()}}`;
  const connections = Array.from({ length: count }, () => connectRedis(redisUrl, { answerSeconds: 300 }));
  opened.push(...connections);
  await Promise.all(connections.map((connection) => once(connection, "ready")));
  return processesOn(connections, { share, prefix });
}

function processesOn(connections: RedisConnection[], { share = 1, prefix = `{${randomUUID()}}` } = {}) {
  const buckets = connections.map((connection) => new TokenBuckets(connection, prefix, share));
  return {
    prefix,
    acquire: async (rate: Rate, call: string, process = 0, priority: Priority = "normal") => {
      const acquire = (buckets[process] as TokenBuckets).acquirerFor("1234:us-east-1");
      try {
        return { waitMs: await acquire({ bucket: "EC2:CreateVpc", rate }, call, priority) };
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error;
        return { retryInMs: error.seconds * 1000 };
      }
    },
  };
}

/** A rate at which no token comes back while a test runs. */
const SLOW = { burst: 20, perSecond: 0.001 };

it("allows all processes together one burst, and only the configured share of it", async () => {
  const all = await processes(3);
  const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => all.acquire(SLOW, `call ${i}`, i % 3)));
  expect(answers.filter(({ waitMs }) => waitMs !== undefined)).toHaveLength(20);
  const half = await processes(3, { share: 0.5 });
  const fewer = await Promise.all(Array.from({ length: 90 }, (_, i) => half.acquire(SLOW, `call ${i}`, i % 3)));
  expect(fewer.filter(({ waitMs }) => waitMs !== undefined)).toHaveLength(10);
});

it("allows no more than the rate after the burst", async () => {
  const rate = { burst: 5, perSecond: 40 };
  const { acquire } = await processes(2);
  const start = performance.now();
  let granted = 0;
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => acquire(rate, `${round} ${i}`, i % 2)));
    granted += answers.filter(({ waitMs }) => waitMs !== undefined).length;
  }
  const lastSentAt = (performance.now() - start) / 1000 + 1;
  expect(granted).toBeGreaterThan(rate.burst);
  expect(granted).toBeLessThanOrEqual(rate.burst + rate.perSecond * lastSentAt);
});

it("assigns reservations to rejected calls in order, and the same one to a repeated call", async () => {
  const { acquire } = await processes(2);
  const rate = { burst: 1, perSecond: 0.01 };
  await acquire(rate, "first");
  const reserved = [];
  for (let i = 0; i < 5; i++) reserved.push((await acquire(rate, `call ${i}`, i % 2)).retryInMs ?? 0);
  for (const [i, ms] of reserved.entries()) expect(Math.abs(ms - 100_000 * (i + 1))).toBeLessThan(50_000);
  const again = (await acquire(rate, "call 1")).retryInMs ?? 0;
  expect(again).toBeLessThanOrEqual(reserved[1] ?? 0);
  const next = (await acquire(rate, "call 5")).retryInMs ?? 0;
  expect(next).toBeGreaterThan(reserved[4] ?? 0);
});

it("lets a call with a reservation go before later calls", async () => {
  const { acquire } = await processes(2);
  const rate = { burst: 1, perSecond: 0.25 };
  await acquire(rate, "first");
  expect((await acquire(rate, "reserved")).retryInMs).toBeDefined();
  let others = 0;
  await until(async () => {
    const other = await acquire(rate, `other ${others++}`, 1);
    expect(other.waitMs).toBeUndefined();
    return (await acquire(rate, "reserved")).waitMs !== undefined;
  });
  expect(others).toBeGreaterThan(0);
});

it("allows background calls at most half a bucket, and no reservation", async () => {
  const { acquire } = await processes(1);
  const background = Array.from({ length: 20 }, (_, i) => acquire(SLOW, `call ${i}`, 0, "background"));
  expect((await Promise.all(background)).filter(({ waitMs }) => waitMs !== undefined)).toHaveLength(10);
  const normal = await Promise.all(Array.from({ length: 11 }, (_, i) => acquire(SLOW, `normal ${i}`)));
  expect(normal.filter(({ waitMs }) => waitMs !== undefined)).toHaveLength(10);
});

it("starts with full buckets when Redis has lost everything", async () => {
  const { acquire, prefix } = await processes(1);
  await Promise.all(Array.from({ length: 21 }, (_, i) => acquire(SLOW, `call ${i}`)));
  const redis = connectRedis(redisUrl);
  const keys = await redis.keys(`${prefix}*`);
  await redis.del(keys);
  redis.disconnect();
  expect((await acquire(SLOW, "after")).waitMs).toBe(0);
});

it("limits calls locally while Redis is unreachable, and sends no background calls", async () => {
  const connection = connectRedis("redis://127.0.0.1:1", { answerSeconds: REDIS_TIMEOUT_SECONDS });
  connection.on("error", () => {});
  opened.push(connection);
  const { acquire } = processesOn([connection]);
  const rate = { burst: 5, perSecond: 1000 };
  expect((await acquire(rate, "call")).waitMs).toBeGreaterThanOrEqual(0);
  expect(await acquire(rate, "call", 0, "background")).toEqual({ retryInMs: Number.POSITIVE_INFINITY });
});

it("keeps ten processes without Redis to the rate of one", () => {
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
