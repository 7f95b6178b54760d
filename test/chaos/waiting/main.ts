import { setTimeout as sleep } from "node:timers/promises";
import { connectRedis, JobQueues, QUEUE, QUEUED_COLUMNS, type QueuedRequest } from "@gantry/queue";
import { createLog } from "@gantry/runtime";
import { QueueKeys } from "bullmq";
import { type BenchEnvironment, REGION } from "../../load/bench-environment.js";
import { API, WORKER } from "../../load/build.js";
import { runCampaign } from "../../load/run-campaign.js";
import { medianOf, percentileOf } from "../../load/statistics.js";
import { readOptions, wholeNumber } from "../../support/command.js";
import { DEFAULT_SETTINGS } from "../../support/default-settings.js";
import { megabytesOf } from "../../support/process-memory.js";
import { until } from "../../support/until.js";
import { Client } from "../rolling-deploy/client.js";
import { copyWaitingRequest } from "./copy-requests.js";
import { simulateDatabases } from "./simulated-databases.js";

const USAGE = `Usage: npm run chaos:waiting -- [--requests N] [--real N] [--ticks N]

Lets one worker process hold Requests that wait for RDS, and creates another Request every second. Some databases exist in the
emulator; the rows of the others are copies, and a proxy adds them to the emulator's answers. The worker must take less than
300 MB and make less than one call per tick of 20 s for a hundred waiting Requests, and their jobs less than 40 MB of Redis. The
new Requests must start within a second (p99), and the Requests of the real databases must succeed when the databases are
available.

  --requests N  waiting Requests (10000)
  --real N      databases in the emulator (20)
  --ticks N     duration of the measurement in ticks of 20 s (6)`;

const TICK_MS = 20_000;
const MAX_MB = 300;
const MAX_REDIS_MB = 40;
const MAX_START_MS = 1000;
const TIMEOUT_SECONDS = 180;

const values = readOptions(USAGE, {
  requests: { type: "string", default: "10000" },
  real: { type: "string", default: "20" },
  ticks: { type: "string", default: "6" },
});
const waiting = wholeNumber("requests", values.requests);
const real = wholeNumber("real", values.real);
const ticks = wholeNumber("ticks", values.ticks);

await runCampaign(async (bench) => {
  const databases = await simulateDatabases(bench.awsEndpoint);
  try {
    return await measureWaiting(bench, databases);
  } finally {
    databases.close();
  }
});

async function measureWaiting(
  { db, aws, launch, token, providerId, redisUrl }: BenchEnvironment,
  databases: Awaited<ReturnType<typeof simulateDatabases>>,
): Promise<boolean> {
  await aws.setTransitionDelays({ databaseMs: 3_600_000 });
  const settings = { AWS_ENDPOINT_URL: databases.url, AWS_VISIBILITY_SECONDS: "0", DRIFT_SECONDS: "0" };
  const api = await launch(API, [], settings);
  const worker = await launch(WORKER, [], settings);
  console.log(`The worker starts with ${megabytesOf(worker.pid).toFixed(0)} MB.`);
  const client = new Client(api.url, token);

  // Before its discovery a region offers what the specification lists, which AWS no longer has.
  await client.complete("PUT", `/providers/${providerId}/locations/${REGION}/discover`);
  const originals: string[] = [];
  for (let i = 0; i < real; i++) originals.push(await requestDatabase(`real-${i}`));
  await until(async () => {
    const asleep = { id: { in: originals }, waitingFor: { contains: "available" } };
    const rows = await db.request.findMany({ where: asleep, select: { createdAt: true } });
    return rows.length === real && rows.every(({ createdAt }) => Date.now() - createdAt.getTime() > 15_000);
  }, TIMEOUT_SECONDS);
  await copyWaitingRequest(db, originals[0] as string, waiting - real, databases.add);
  console.log(`The worker takes ${megabytesOf(worker.pid).toFixed(0)} MB.`);
  const redisMb = await addJobs();
  console.log(`${waiting} Requests wait: ${real} for databases in the emulator, ${waiting - real} for simulated ones.`);

  const measured = await measure();
  const noticedMs = await finishReal();
  await worker.stop();
  const { calls, memory, starts, peakMb } = measured;
  const p99 = percentileOf(starts, 0.99);
  const mostCalls = Math.max(...calls);
  console.log(`
memory of Redis          ${redisMb.toFixed(1)} MB for the jobs
memory of the worker     ${medianOf(memory).toFixed(0)} MB at the median, ${peakMb.toFixed(0)} MB at most
calls in each tick       ${calls.join(", ")}
new Requests             ${starts.length} started after ${medianOf(starts).toFixed(0)} ms at the median, ${p99.toFixed(0)} ms at the 99th percentile, ${Math.max(...starts)} ms at most
real databases           ${real} done, the last ${(noticedMs / 1000).toFixed(1)} s after they were available`);
  const violations = [
    peakMb >= MAX_MB && `the worker took ${peakMb.toFixed(0)} MB`,
    redisMb >= MAX_REDIS_MB && `the jobs took ${redisMb.toFixed(1)} MB of Redis`,
    mostCalls >= waiting / 100 && `${mostCalls} calls in one tick are not under ${waiting / 100}`,
    Math.min(...calls) === 0 && "no call for a whole tick",
    p99 >= MAX_START_MS && `new Requests started after ${p99.toFixed(0)} ms`,
  ].filter((sentence) => sentence !== false);
  for (const sentence of violations) console.error(`WRONG: ${sentence}`);
  return violations.length === 0;

  /**
   * Adds a job for each Request, which the worker takes once and delays. Returns the memory of all these jobs in Redis,
   * in MB.
   */
  async function addJobs(): Promise<number> {
    const redis = connectRedis(redisUrl);
    const { QUEUE_PREFIX } = DEFAULT_SETTINGS;
    const usedMb = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]) / 1024 ** 2;
    const delayed = () => redis.zcard(new QueueKeys(QUEUE_PREFIX).toKey(QUEUE, "delayed"));
    const [beforeMb, before] = [await usedMb(), await delayed()];
    const requests = await db.$queryRaw<QueuedRequest[]>`
      SELECT ${QUEUED_COLUMNS} FROM requests r JOIN copies c ON c.request = r.id`;
    const jobs = new JobQueues(redisUrl, QUEUE_PREFIX, createLog("campaign", "warn"));
    jobs.add(...requests);
    await jobs.close();
    await until(async () => (await delayed()) >= waiting, TIMEOUT_SECONDS);
    const mb = ((await usedMb()) - beforeMb) * (waiting / (waiting - before));
    redis.disconnect();
    return mb;
  }

  /** Creates a Request every second and measures the worker. */
  async function measure() {
    const opened: string[] = [];
    const memory: number[] = [];
    const began = Date.now();
    for (let second = 1; second <= (ticks * TICK_MS) / 1000; second++) {
      opened.push(await requestNetwork());
      memory.push(megabytesOf(worker.pid));
      if (second % 20 === 0) console.log(`  ${second} s, ${memory.at(-1)?.toFixed(0)} MB`);
      await sleep(Math.max(0, began + second * 1000 - Date.now()));
    }
    const calls = Array.from({ length: ticks }, (_, tick) => {
      const start = began + tick * TICK_MS;
      return databases.calls.filter(({ at }) => at >= start && at < start + TICK_MS).length;
    });
    const ids = databases.calls.filter(({ at }) => at >= began).reduce((sum, call) => sum + call.ids, 0);
    console.log(`  ${ids} databases described, each every ${((ticks * TICK_MS * waiting) / ids / 1000).toFixed(0)} s`);
    const unstarted = { id: { in: opened }, startedAt: null };
    await until(async () => (await db.request.count({ where: unstarted })) === 0, TIMEOUT_SECONDS);
    const rows = await db.request.findMany({ where: { id: { in: opened } } });
    const starts = rows.map(({ createdAt, startedAt }) => (startedAt?.getTime() ?? 0) - createdAt.getTime());
    return { calls, memory, starts, peakMb: megabytesOf(worker.pid, "VmHWM") };
  }

  /** Makes the emulator's databases available, and returns the milliseconds until their Requests have succeeded. */
  async function finishReal(): Promise<number> {
    const began = Date.now();
    await aws.setTransitionDelays({});
    const done = { id: { in: originals }, successful: true };
    await until(async () => (await db.request.count({ where: done })) === real, TIMEOUT_SECONDS);
    return Date.now() - began;
  }

  async function requestDatabase(name: string): Promise<string> {
    const { request } = await client.send<{ request: { id: string } }>("POST", "/database-services", {
      provider: providerId,
      database_service: { name },
      database_server: { engine: "postgres", version: "16", flavor: "db.t4g.medium", location: `${REGION}a` },
    });
    return request.id;
  }

  async function requestNetwork(): Promise<string> {
    const network = { cidr: "10.0.0.0/16", location: REGION, skip_subnets: true };
    const { request } = await client.send<{ request: { id: string } }>("POST", "/networks", {
      provider: providerId,
      network,
    });
    return request.id;
  }
}
