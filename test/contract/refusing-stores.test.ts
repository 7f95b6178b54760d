import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { connectDb, loadInstallationKeys } from "@gantry/db";
import { type Component, startRedis } from "@gantry/local-stack";
import { JobQueues, QUEUE } from "@gantry/queue";
import { createLog, type Env } from "@gantry/runtime";
import { startApp } from "@gantry/worker";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import supertest from "supertest";
import { createTestAccount } from "../support/account.js";
import { createCaller, REGION, startTestApi, type TestApi, type TestCaller } from "../support/api.js";
import { LONG_TIMEOUTS, testEnv, testLog } from "../support/stack.js";
import { until } from "../support/until.js";

interface Line {
  level: number;
  msg: string;
  failures?: number;
}

const WARN = 40;
const REQUESTS = 5;
/** How long a store refuses at least. */
const OUTAGE_MS = 3000;
const PREFIX = "{refusing}";

let folder: string;
let server: Component;
let redis: Redis;
let api: TestApi;
let env: Env;
let jobs: JobQueues;
let queue: Queue;
let owner: TestCaller;
let provider: number;

/** A server of its own, since a server without memory would stop every other test. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gantry-refusing-"));
  server = await startRedis({ folder, environment: {} });
  redis = new Redis(server.url);
  jobs = new JobQueues(server.url, PREFIX, testLog);
  queue = new Queue(QUEUE, { connection: redis, prefix: PREFIX });
  api = await startTestApi({}, { jobs });
  env = testEnv(api.database, { REDIS_URL: server.url, QUEUE_PREFIX: PREFIX, SWEEP_SECONDS: "1" });
  await loadInstallationKeys(api.database.db, env.MASTER_KEY);
  const account = await createTestAccount(api.database.db, env);
  provider = account.provider.id;
  owner = await createCaller(api, { accountId: account.accountId });
});

afterAll(async () => {
  await queue.close();
  await jobs.close();
  redis.disconnect();
  await server.stop();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

/** Accepts Requests, whose jobs are in the queue. */
async function accept(): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const network = { cidr: "10.0.0.0/16", location: REGION, skip_subnets: true };
    ids.push((await owner.post("/networks", { provider, network })).body.request.id);
  }
  await jobs.settled();
  return ids;
}

/** A worker with the lines of its log. */
async function startLoggedWorker() {
  const lines: Line[] = [];
  const write = (chunk: Buffer, _: string, done: () => void) => {
    lines.push(JSON.parse(String(chunk)));
    done();
  };
  const stop = await startApp(env, createLog("worker", "info", new Writable({ write })));
  return { lines, stop, lineOf: (msg: string) => lines.find((line) => line.msg === msg) };
}

async function haveSucceeded(ids: string[]): Promise<boolean> {
  const rows = await api.database.db.request.findMany({ where: { id: { in: ids } } });
  expect(rows.filter(({ finishedAt, successful }) => finishedAt && !successful)).toEqual([]);
  return rows.every(({ successful }) => successful);
}

/** Each trouble takes one line, however often it occurs. */
function requireOneLineEach(lines: readonly Line[]): void {
  const troubles = lines.filter(({ level }) => level >= WARN).map(({ msg }) => msg);
  expect(troubles.filter((msg, i) => troubles.indexOf(msg) !== i)).toEqual([]);
}

it("refuses changes with 503 while PostgreSQL accepts no writes, serves reads, and fails no Request", async () => {
  const { db, url } = api.database;
  const { username, pathname } = new URL(url);
  const ids = await accept();
  const setReadOnly = async (value: "on" | "off") => {
    const role = `ALTER ROLE "${username}" IN DATABASE "${pathname.slice(1)}" SET default_transaction_read_only`;
    await db.$executeRawUnsafe(`${role} = ${value}`);
    await db.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = ${username}`;
  };
  await setReadOnly("on");
  const apps = connectDb(url, 4, LONG_TIMEOUTS);
  const other = await startTestApi({}, { db: apps });
  const input = (call: supertest.Test) => call.set("Authorization", `Bearer ${owner.token}`);
  const worker = await startLoggedWorker();
  try {
    const path = `/accounts/${owner.accountId}`;
    const change = () => input(supertest(other.app).put(path)).send({ account: { emergency_contact: "me" } });
    const { status, body, headers } = await change();
    expect([status, body.code, headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
    expect((await input(supertest(other.app).get("/networks"))).body.networks).toHaveLength(REQUESTS);
    const ready = await supertest(other.app).get("/health/ready");
    expect([ready.status, ready.body]).toEqual([
      503,
      expect.objectContaining({ ready: false, database: true, writable: false }),
    ]);
    await until(async () => (await queue.getDelayedCount()) === REQUESTS);

    await setReadOnly("off");
    await until(async () => (await change()).status === 200);
    await until(() => haveSucceeded(ids));
    const line = await until(async () => worker.lineOf("job of queue requests works again"));
    expect(line.failures).toBeLessThan(10 * REQUESTS);
    requireOneLineEach(worker.lines);
  } finally {
    await setReadOnly("off");
    await worker.stop();
    await other.close();
    await apps.$disconnect();
  }
});

it("pauses longer and longer while Redis has no memory for the jobs in its queue, and says so once", async () => {
  const ids = await accept();
  await redis.config("SET", "maxmemory", "1");
  const refused = async () => Number(/errorstat_OOM:count=(\d+)/.exec(await redis.info("errorstats"))?.[1] ?? 0);
  const worker = await startLoggedWorker();
  try {
    const start = performance.now();
    await until(async () => (await refused()) > 20 && performance.now() - start > OUTAGE_MS);
    requireOneLineEach(worker.lines);
    await redis.config("SET", "maxmemory", "0");
    await until(() => haveSucceeded(ids));
    const line = await until(async () => worker.lineOf("queue requests works again"));
    // Without pauses there are thousands.
    expect(line.failures).toBeLessThan(100);
  } finally {
    await redis.config("SET", "maxmemory", "0");
    await worker.stop();
  }
});
