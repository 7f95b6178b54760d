import { connectDb } from "@gantry/db";
import { createCaller, startTestApi, type TestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { LONG_TIMEOUTS } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { Redis } from "ioredis";
import supertest from "supertest";

const { api, owner } = await startApiTest();

it("answers 503 while the database is unreachable, and recovers without a restart", async () => {
  const proxy = await startFlakyTcpProxy(new URL(api.database.url));
  const db = connectDb(throughProxy(proxy, api.database.url), 4);
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

it("answers 503 while every connection is taken", async () => {
  const small = connectDb(api.database.url, 1, { ...LONG_TIMEOUTS, connectSeconds: 1 });
  const other = await startTestApi({}, { db: small });
  const read = () => supertest(other.app).get("/networks").set("Authorization", `Bearer ${owner.token}`);
  await until(async () => (await read()).status === 200);
  const { status, headers, body } = await small.$transaction(read, { maxWait: 300_000 });
  expect([status, body.code, headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
  await until(async () => (await read()).status === 200);
  await small.$disconnect();
  await other.close();
});

it("keeps connections free even if many readers read a backlog of events", async () => {
  const small = connectDb(api.database.url, 6, LONG_TIMEOUTS);
  const other = await startTestApi({}, { db: small });
  const read = async (path: string) =>
    (await supertest(other.app).get(path).set("Authorization", `Bearer ${owner.token}`)).status;
  const blocked = async () => {
    const [row] = await api.database.db.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted`;
    return Number(row?.count);
  };
  const readers = await api.database.db.$transaction(
    async (tx) => {
      await tx.$executeRaw`LOCK TABLE events IN ACCESS EXCLUSIVE MODE`;
      // Readers at one place share a page, so each of these reads another one.
      const answers = Array.from({ length: 20 }, (_, at) =>
        read(`/accounts/${owner.accountId}/events?limit=${1 + at}`),
      );
      await until(async () => (await blocked()) >= 4);
      for (let n = 0; n < 20; n++) expect(await read("/networks")).toBe(200);
      expect(await blocked()).toBe(4);
      return { answers };
    },
    { timeout: 300_000 },
  );
  expect(new Set(await Promise.all(readers.answers))).toEqual(new Set([200]));
  await small.$disconnect();
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
