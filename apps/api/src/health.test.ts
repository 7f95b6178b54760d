import { randomUUID } from "node:crypto";
import { connectDb } from "@gantry/db";
import { connectRedis, QUEUE } from "@gantry/queue";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { cloneDatabase, LONG_TIMEOUTS, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { Queue } from "bullmq";
import express from "express";
import { Redis } from "ioredis";
import supertest from "supertest";
import { health } from "./health.js";
import { readinessOf } from "./readiness.js";

const database = await cloneDatabase();
const env = testEnv(database);
afterAll(() => database.drop());

it("stays ready, with a reason, while an open transaction holds events back", async () => {
  const app = express().use(health(readinessOf({ db: database.db, env, log: testLog }, 0)));
  const read = () => supertest(app).get("/health/ready");
  expect((await read()).body).toMatchObject({ ready: true, event_horizon_seconds: 0, degraded: [] });
  await database.db.$transaction(
    async (writer) => {
      await writer.account.create({ data: { id: randomUUID(), name: "open" } });
      await database.db.account.create({ data: { id: randomUUID(), name: "held back" } });
      const { status, body } = await until(async () => {
        const answer = await read();
        return answer.body.degraded.length > 0 && answer;
      });
      expect([status, body.ready, body.degraded]).toEqual([200, true, ["events_held_back"]]);
      expect(body.event_horizon_seconds).toBeGreaterThan(0);
    },
    { maxWait: LONG_TIMEOUTS.connectSeconds * 1000, timeout: LONG_TIMEOUTS.transactionSeconds * 1000 },
  );
  await until(async () => (await read()).body.degraded.length === 0);
});

it("is not ready, and says so after a few seconds, while PostgreSQL does not answer", async () => {
  const proxy = await startFlakyTcpProxy(new URL(database.url));
  proxy.dropRepliesTo("event_horizon");
  const silent = connectDb(throughProxy(proxy, database.url), 1);
  const app = express().use(health(readinessOf({ db: silent, env, log: testLog })));
  const { status, body } = await supertest(app).get("/health/ready");
  proxy.close();
  await silent.$disconnect();
  expect([status, body.database]).toEqual([503, false]);
});

it("stays ready and says that Redis is away while Redis accepts commands and does not respond", async () => {
  const proxy = await startFlakyTcpProxy(new URL(env.REDIS_URL));
  const redis = connectRedis(throughProxy(proxy, env.REDIS_URL), { answerSeconds: 1 });
  await until(async () => redis.status === "ready");
  proxy.dropRepliesTo("paused");
  const app = express().use(health(readinessOf({ db: database.db, redis, env, log: testLog })));
  const { status, body } = await supertest(app).get("/health/ready");
  expect([redis.status, status, body.redis, body.paused_queues]).toEqual(["ready", 200, false, null]);
  redis.disconnect();
  proxy.close();
});

it("stays ready while the request queue is paused, and reports it in its response and once in the log", async () => {
  const [warn, info] = [jest.spyOn(testLog, "warn"), jest.spyOn(testLog, "info")];
  const redis = new Redis(env.REDIS_URL);
  const queue = new Queue(QUEUE, { connection: redis, prefix: env.QUEUE_PREFIX });
  const app = express().use(health(readinessOf({ db: database.db, redis, env, log: testLog })));
  const until200 = (paused: string[], degraded: string[]) =>
    until(async () => {
      const { status, body } = await supertest(app).get("/health/ready");
      return (
        status === 200 && JSON.stringify([body.paused_queues, body.degraded]) === JSON.stringify([paused, degraded])
      );
    });
  await until200([], []);
  await queue.pause();
  await until200([QUEUE], ["requests_paused"]);
  await queue.resume();
  await until200([], []);
  await queue.close();
  redis.disconnect();
  expect(warn.mock.calls).toEqual([["request queue paused; no requests run"]]);
  expect(info.mock.calls).toEqual([["request queue resumed"]]);
});
