import { openDb } from "@gantry/db";
import { createCaller, startTestApi, type TestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { until } from "@gantry/test/support/until";
import { expect, it } from "@jest/globals";
import { Redis } from "ioredis";
import supertest from "supertest";

const { api, owner } = await startApiTest();

it("answers 503 while the database is gone, and recovers without a restart", async () => {
  const proxy = await startFlakyTcpProxy(new URL(api.database.url));
  const db = openDb(throughProxy(proxy, api.database.url), 4);
  const other = await startTestApi({}, { db });
  const read = () => supertest(other.app).get("/networks").set("Authorization", `Bearer ${owner.token}`);
  expect((await read()).status).toBe(200);
  proxy.disconnect();
  const { status, headers, body } = await read();
  expect([status, body.code, headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
  expect(JSON.stringify(body)).not.toMatch(/prisma|ECONN|SELECT/i);
  expect((await supertest(other.app).get("/health/live")).status).toBe(200);
  expect((await supertest(other.app).get("/health/ready")).body).toMatchObject({ ready: false, database: false });
  await proxy.restore();
  await until(async () => (await read()).status === 200);
  await until(async () => (await supertest(other.app).get("/health/ready")).status === 200);
  await db.$disconnect();
  proxy.close();
  await other.close();
});

it("serves without Redis", async () => {
  const redis = new Redis("redis://127.0.0.1:9", {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    lazyConnect: true,
  });
  redis.on("error", () => {});
  const other = await startTestApi({ RATE_LIMIT_PER_MINUTE: "2" }, { redis });
  const caller = await createCaller(other);
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await caller.get("/networks")).status);
  expect(statuses).toEqual([200, 200, 429]);
  redis.disconnect();
  await other.close();
});

it("keeps one limit for all processes through Redis", async () => {
  const connection = () => new Redis(api.env.REDIS_URL, { enableAutoPipelining: true });
  const [one, two] = [connection(), connection()];
  const settings = { RATE_LIMIT_PER_MINUTE: "10", QUEUE_PREFIX: `{limits-${process.pid}}` };
  const first = await startTestApi(settings, { redis: one, db: api.db });
  const second = await startTestApi(settings, { redis: two, db: api.db });
  const read = ({ app }: TestApi) => supertest(app).get("/networks").set("Authorization", `Bearer ${owner.token}`);
  for (let i = 0; i < 10; i++) expect((await read(first)).status).toBe(200);
  await read(second);
  expect(await until(async () => (await read(second)).status === 429)).toBe(true);
  one.disconnect();
  two.disconnect();
  await first.close();
  await second.close();
});
