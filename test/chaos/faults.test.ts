import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDb, type Db } from "@gantry/db";
import { type Component, startPostgres, startRedis } from "@gantry/local-stack";
import { connectRedis } from "@gantry/queue";
import { applyMigrations } from "@gantry/schema-engine";
import { aws, createTestAccount } from "../support/account.js";
import { cloneDatabase, type TestDatabase, testEnv } from "../support/stack.js";
import { migrations } from "../support/start-stack.js";
import { until } from "../support/until.js";
import { ended, requestNetwork } from "../support/work.js";
import { startTestWorker, type TestWorker } from "../support/worker.js";

let folder: string;
let database: TestDatabase;
let redis: Component;

// This file stops its stores, so it does not use the shared ones.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-faults-"));
  // The user of PostgreSQL must be able to enter the folder, or its data lies elsewhere.
  await chmod(folder, 0o711);
  redis = await startRedis({ folder, environment: process.env });
  database = await cloneDatabase();
});
afterAll(async () => {
  await database.drop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

const vpcs = async (account: { awsAccount: { accessKeyId: string } }) =>
  (await aws.inventory(account.awsAccount, { kinds: ["vpc"] })).vpc ?? [];

/** Adds the jobs of Requests, or drops them without Redis. */
async function queue(worker: TestWorker, db: Db, opened: { requestId: string }[]): Promise<void> {
  worker.jobs.add(...(await db.request.findMany({ where: { id: { in: opened.map(({ requestId }) => requestId) } } })));
  await worker.jobs.settled();
}

it("loses none of 50 unfinished Requests when Redis is flushed repeatedly", async () => {
  const env = testEnv(database, { REDIS_URL: redis.url, SWEEP_SECONDS: "1" });
  const account = await createTestAccount(database.db, env);
  const worker = startTestWorker(env);
  const client = connectRedis(redis.url);
  for (let batch = 0; batch < 5; batch++) {
    const opened = await Promise.all(
      Array.from({ length: 10 }, () => requestNetwork(database.db, account, { skipSubnets: true })),
    );
    await queue(worker, database.db, opened);
    await client.flushall();
  }
  const open = () => database.db.request.count({ where: { accountId: account.accountId, finishedAt: null } });
  await until(async () => (await open()) === 0);
  client.disconnect();
  const requests = await database.db.request.findMany({ where: { accountId: account.accountId } });
  expect(requests.filter(({ successful }) => successful)).toHaveLength(50);
  expect(await vpcs(account)).toHaveLength(50);
  await worker.stop();
});

it("runs a Request that was accepted during an outage of Redis once Redis is back", async () => {
  const env = testEnv(database, { REDIS_URL: redis.url, SWEEP_SECONDS: "1" });
  const account = await createTestAccount(database.db, env);
  const worker = startTestWorker(env);
  await redis.kill();
  const { requestId } = await requestNetwork(database.db, account, { skipSubnets: true });
  await queue(worker, database.db, [{ requestId }]);
  expect(await database.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ startedAt: null });
  redis = await startRedis({ folder, environment: process.env, port: Number(new URL(redis.url).port) });
  expect((await ended(database.db, requestId)).successful).toBe(true);
  await worker.stop();
});

it("creates 100 VPCs for 100 networks even if AWS loses one response in ten", async () => {
  const env = testEnv(database);
  const account = await createTestAccount(database.db, env);
  const { accessKeyId } = account.awsAccount;
  await aws.loseResponse("*", { probability: 0.1, seed: 11, accessKeyId });
  const worker = startTestWorker(env);
  const opened = await Promise.all(
    Array.from({ length: 100 }, () => requestNetwork(database.db, account, { skipSubnets: true })),
  );
  await queue(worker, database.db, opened);
  for (const { requestId } of opened) expect(await ended(database.db, requestId)).toMatchObject({ successful: true });
  await aws.clear({ accessKeyId });
  await worker.stop();
  const lost = (await aws.calls({ accessKeyId })).filter(({ outcome }) => outcome === "lost");
  expect(lost.length).toBeGreaterThan(50);
  const inventory = await aws.inventory(account.awsAccount, { kinds: ["vpc", "internet_gateway", "route_table"] });
  const { vpc = [], internet_gateway = [], route_table = [] } = inventory;
  expect([vpc.length, internet_gateway.length, route_table.length]).toEqual([100, 100, 100]);
  const rows = await database.db.cloudObject.findMany({ where: { accountId: account.accountId, kind: "vpc" } });
  expect(new Set(rows.map(({ cloudId }) => cloudId))).toEqual(new Set(vpc.map(({ id }) => id)));
});

it("continues every Request after a crash of PostgreSQL", async () => {
  const options = { folder, environment: process.env, fsync: true };
  let postgres = await startPostgres(options);
  const url = new URL(postgres.url);
  url.pathname = "/gantry";
  await applyMigrations(url.toString(), migrations);
  const db = connectDb(url.toString(), 4);
  const env = testEnv(
    { url: url.toString() },
    {
      REDIS_URL: redis.url,
      AWS_VISIBILITY_SECONDS: "2",
      SWEEP_SECONDS: "0.5",
    },
  );
  const account = await createTestAccount(db, env);
  const worker = startTestWorker(env);
  const opened = [];
  for (let i = 0; i < 10; i++) opened.push(await requestNetwork(db, account));
  await queue(worker, db, opened);
  await until(() => db.cloudObject.findFirst({ where: { cloudId: { not: null } } }));
  await postgres.kill();
  postgres = await startPostgres({ ...options, port: Number(url.port) });
  for (const { requestId } of opened) expect(await ended(db, requestId)).toMatchObject({ successful: true });
  expect(await vpcs(account)).toHaveLength(10);
  await worker.stop();
  await db.$disconnect();
  await postgres.stop();
});
