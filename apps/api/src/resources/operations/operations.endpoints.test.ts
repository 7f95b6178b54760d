import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { hostname } from "node:os";
import { connectRedis, QUEUE, QUEUES, type RedisConnection, registerWorker } from "@gantry/queue";
import { createPlainAccount } from "@gantry/test/support/account";
import { createCaller, startTestApi } from "@gantry/test/support/api";
import { endRequest } from "@gantry/test/support/api-test";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { redisUrl, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { startTestWorker } from "@gantry/test/support/worker";
import { Queue, UnrecoverableError, Worker } from "bullmq";

const redis = await connect(redisUrl, 60);
const api = await startTestApi({}, { redis });
afterAll(async () => {
  await api.close();
  redis.disconnect();
});
const { db, env } = api;
const { QUEUE_PREFIX: prefix } = env;
const staff = await createCaller(api, { staff: true, scopes: ["read"] });

async function connect(url: string, answerSeconds: number): Promise<RedisConnection> {
  const connection = connectRedis(url, { answerSeconds }).on("error", () => {});
  await once(connection, "ready");
  return connection;
}

async function read(caller = staff) {
  const { status, body } = await caller.get("/operations");
  expect(status).toBe(200);
  return body.operations;
}

it("counts due, running and waiting Requests, and those of a lost worker as due", async () => {
  const nothing = { due: 0, running: 0, waiting: 0, oldest_due_seconds: null, takeovers: 0 };
  expect((await read()).requests).toEqual(nothing);
  const tenant = await createPlainAccount(db);
  const [due, lost, running, asleep, ended] = await Promise.all(
    Array.from({ length: 5 }, () => requestNetwork(db, tenant)),
  );
  const from = performance.now();
  const setTimes = (network: typeof due, dueInSeconds: number, leaseSeconds: number | null) => db.$executeRaw`
    UPDATE requests SET next_run_at = now() + make_interval(secs => ${dueInSeconds}),
      started_at = CASE WHEN ${leaseSeconds}::int IS NULL THEN NULL ELSE now() END,
      lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ${network?.requestId}::uuid`;
  await setTimes(due, -90, null);
  await setTimes(lost, -30, -1);
  await setTimes(running, -900, 3600);
  await setTimes(asleep, 3600, null);
  await endRequest(db, ended?.requestId ?? "");
  await db.request.update({ where: { id: lost?.requestId ?? "" }, data: { takeovers: 2 } });
  await createRequestOf(db, tenant, "deprovision_network", { type: "network", id: running?.networkId ?? "" }, {});

  const { oldest_due_seconds: oldest, ...counts } = (await read()).requests;
  expect(counts).toEqual({ due: 2, running: 1, waiting: 2, takeovers: 2 });
  expect(oldest).toBeGreaterThanOrEqual(90);
  expect(oldest).toBeLessThanOrEqual(91 + (performance.now() - from) / 1000);
});

it("counts the jobs of each queue by their state, also while it is paused", async () => {
  const queue = new Queue(QUEUE, { connection: redis, prefix });
  const connection = connectRedis(redisUrl);
  const released = Promise.withResolvers<void>();
  const process = async ({ name }: { name: string }) => {
    if (name === "fails") throw new UnrecoverableError("AWS said no");
    if (name === "lasts") await released.promise;
  };
  const worker = new Worker(QUEUE, process, { connection, prefix, concurrency: 3 }).on("error", () => {});
  try {
    for (const name of ["fails", "succeeds", "lasts"]) await queue.add(name, {});
    await until(async () => {
      const { failed, completed, active } = await queue.getJobCounts();
      return failed === 1 && completed === 1 && active === 1;
    });
    await queue.pause();
    await queue.add("waits", {});
    await queue.add("waits", {}, { priority: 5 });
    await queue.add("sleeps", {}, { delay: 3_600_000 });

    const { redis: state, queues } = await read();
    const others = QUEUES.filter((name) => name !== QUEUE);
    const nothing = { paused: false, waiting: 0, active: 0, delayed: 0, failed: 0, completed: 0 };
    expect([state, queues]).toEqual([
      "ok",
      [
        { name: QUEUE, paused: true, waiting: 2, active: 1, delayed: 1, failed: 1, completed: 1 },
        ...others.map((name) => ({ name, ...nothing })),
      ],
    ]);
  } finally {
    released.resolve();
    await worker.close();
    connection.disconnect();
    await queue.close();
  }
});

describe("a worker", () => {
  const key = `${prefix}:workers`;
  afterEach(() => redis.del(key));
  const facts = { host: "here", pid: 1, version: "1.2.3", concurrency: 4, in_use: 3 };

  /** A registration as the API shows it: with its times as all others are. */
  const shown = (registration: { started_at: string; seen_at: string }) => ({
    ...registration,
    started_at: registration.started_at.replace("Z", "+00:00"),
    seen_at: registration.seen_at.replace("Z", "+00:00"),
  });

  it("is listed with its state, and disappears when it stops", async () => {
    const worker = startTestWorker(env);
    try {
      const [shown] = await until(async () => {
        const { workers } = await read();
        return workers.length > 0 && workers;
      });
      expect(shown).toMatchObject({ host: hostname(), pid: process.pid, concurrency: env.WORKER_CONCURRENCY });
      expect(shown.version).toMatch(/^\d+\.\d+\.\d+/);
    } finally {
      await worker.stop();
    }
    expect((await read()).workers).toEqual([]);
  });

  it("disappears, also from Redis, if it has not been seen for a minute", async () => {
    const seen = (secondsAgo: number) => {
      const id = randomUUID();
      const at = new Date(Date.now() - secondsAgo * 1000).toISOString();
      return { id, ...facts, started_at: at, seen_at: at };
    };
    const [gone, living] = [seen(61), seen(0)];
    for (const worker of [gone, living]) await redis.hset(key, worker.id, JSON.stringify(worker));
    expect((await read()).workers).toEqual([shown(living)]);
    expect(await redis.hkeys(key)).toEqual([living.id]);
  });

  it("that registers in another format is left out, without hiding others", async () => {
    const at = new Date().toISOString();
    const living = { id: randomUUID(), ...facts, started_at: at, seen_at: at };
    const { pid: _, ...withoutPid } = living;
    for (const text of ["no JSON", JSON.stringify(withoutPid)]) await redis.hset(key, randomUUID(), text);
    await redis.hset(key, living.id, JSON.stringify(living));
    const { redis: state, workers } = await read();
    expect([state, workers]).toEqual(["ok", [shown(living)]]);
  });

  it("appears again after an outage that lost everything in Redis, and can stop during the next one", async () => {
    const proxy = await startFlakyTcpProxy(new URL(redisUrl));
    const connection = await connect(throughProxy(proxy, redisUrl), 60);
    const stop = registerWorker(connection, { prefix, log: testLog }, () => facts);
    const isShown = async () => (await read()).workers.length === 1;
    try {
      await until(isShown);
      proxy.disconnect();
      expect(await redis.del(key)).toBe(1);
      await proxy.restore();
      await until(isShown);
    } finally {
      proxy.close();
      await stop();
      connection.disconnect();
    }
  });
});

it("responds without queues and workers while Redis hangs or is down", async () => {
  const proxy = await startFlakyTcpProxy(new URL(redisUrl));
  const connection = await connect(throughProxy(proxy, redisUrl), 1);
  const other = await startTestApi({}, { redis: connection });
  const reader = await createCaller(other, { staff: true });
  const states = async () => {
    const { redis: state, queues, workers } = await read(reader);
    return [state, queues?.length ?? null, workers];
  };
  const isBack = async () => (await states())[0] === "ok";
  try {
    await until(isBack);
    proxy.dropRepliesTo("workers");
    expect(await states()).toEqual(["unreachable", null, null]);
    proxy.disconnect();
    expect(await states()).toEqual(["unreachable", null, null]);
    await proxy.restore();
    await until(isBack);
  } finally {
    connection.disconnect();
    await other.close();
    proxy.close();
  }
});
