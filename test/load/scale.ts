import { setTimeout as sleep } from "node:timers/promises";
import { QUEUE } from "@gantry/queue";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { until } from "../support/until.js";
import { type BenchEnvironment, type LaunchedProcess, REGION, type Tenant } from "./bench-environment.js";
import { WORKER } from "./build.js";
import { cpuSecondsOf } from "./process-cpu.js";
import { requestClient } from "./request-client.js";
import { percentileOf } from "./statistics.js";

const WORKERS = [1, 2, 4];
/** The time without work in which the CPU of idle workers is measured. */
const IDLE_SECONDS = 3;
/** The number of single Requests whose start delay is measured, and the time between two of them. */
const SINGLES = 40;
const SINGLE_EVERY_MS = 75;

/** An AWS for the workers: the emulator, or one that accepts each call at once, with AWS's rates or without. */
interface Endpoint {
  name: string;
  settings: Record<string, string>;
  /** The Requests that warm up the workers, and those that are measured. */
  warmUp(workers: number): number;
  requests: number;
}

export interface ScaleFigures {
  aws: string;
  workers: number;
  perSecond: number;
  /** CPU seconds of all workers for one finished Request. */
  cpuSeconds: number;
  /** The cores that all workers used on average. */
  cores: number;
  /** Transactions in PostgreSQL for one finished Request, of every process. */
  transactions: number;
  /** From the acceptance of a single Request to its start. */
  startMs: { p50: number; p99: number };
  /** CPU seconds a second of one worker without work. */
  idleCores: number;
}

/** Provisions networks with 1, 2 and 4 workers, with each kind of AWS. */
export async function measureScale(bench: BenchEnvironment, api: LaunchedProcess): Promise<ScaleFigures[]> {
  const instant = await bench.launch("test/load/baselines/instant-aws.ts");
  const atOnce = { AWS_ENDPOINT_URL: instant.url };
  const endpoints: Endpoint[] = [
    { name: "instant", settings: atOnce, warmUp: (workers) => 150 * workers, requests: 300 },
    { name: "emulator", settings: {}, warmUp: (workers) => 20 * workers, requests: 60 },
    // Eight networks use up the burst of CreateSubnet: 50 calls, six for a network.
    { name: "rated", settings: { ...atOnce, AWS_RATE_SHARE: "1" }, warmUp: () => 8, requests: 25 },
  ];
  const figures: ScaleFigures[] = [];
  for (const endpoint of endpoints) {
    for (const workers of WORKERS) {
      figures.push(await measureWorkers(bench, api, endpoint, workers));
      console.log(JSON.stringify(figures.at(-1)));
    }
  }
  await instant.stop();
  return figures;
}

async function measureWorkers(
  bench: BenchEnvironment,
  api: LaunchedProcess,
  endpoint: Endpoint,
  count: number,
): Promise<ScaleFigures> {
  const { db, launch, clear } = bench;
  // Each measurement has an AWS account of its own, whose bursts are unused.
  const tenant = await bench.addTenant();
  const connection = new Redis(bench.redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue(QUEUE, { connection, prefix: "{gantry}" });
  // A scan would compare the networks with an AWS that remembers nothing.
  const settings = { ...endpoint.settings, DRIFT_SECONDS: "0" };
  const start = () => launch(WORKER, [], settings);
  const workers = await Promise.all(Array.from({ length: count }, start));
  const pids = workers.map(({ pid }) => pid);
  const finished = () => db.request.count({ where: { accountId: tenant.accountId, finishedAt: { not: null } } });
  const allFinished = async (total: number) => until(async () => (await finished()) >= total);
  const accept = (requests: number) => acceptNetworks(api, tenant, requests);

  await accept(endpoint.warmUp(count));
  await allFinished(endpoint.warmUp(count));

  const idleSince = cpuSecondsOf(pids);
  await sleep(IDLE_SECONDS * 1000);
  const idleCores = (cpuSecondsOf(pids) - idleSince) / IDLE_SECONDS / count;

  await queue.pause();
  await accept(endpoint.requests);
  const [cpu, transactions, done] = [cpuSecondsOf(pids), await transactionsOf(bench), await finished()];
  const began = performance.now();
  await queue.resume();
  await allFinished(done + endpoint.requests);
  const seconds = (performance.now() - began) / 1000;
  const ended = (await finished()) - done;
  const cpuUsed = cpuSecondsOf(pids) - cpu;
  const transactionsUsed = (await transactionsOf(bench)) - transactions;

  // Those of the same account would wait behind what its rates hold back.
  const other = await bench.addTenant();
  await acceptSingles(api, other);
  const singles = { accountId: other.accountId, startedAt: { not: null } };
  const started = () => db.request.findMany({ where: singles });
  const rows = await until(async () => (await started()).length >= SINGLES && started());
  const delays = rows.map(({ createdAt, startedAt }) => Number(startedAt) - Number(createdAt));

  await Promise.all(workers.map((worker) => worker.stop()));
  await queue.obliterate({ force: true });
  await queue.close();
  connection.disconnect();
  await clear();
  return {
    aws: endpoint.name,
    workers: count,
    perSecond: ended / seconds,
    cpuSeconds: cpuUsed / ended,
    cores: cpuUsed / seconds,
    transactions: transactionsUsed / ended,
    startMs: { p50: percentileOf(delays, 0.5), p99: percentileOf(delays, 0.99) },
    idleCores,
  };
}

async function acceptNetworks(api: LaunchedProcess, tenant: Tenant, count: number): Promise<void> {
  const { send } = requestClient(api.url, tenant.token);
  const input = { provider: tenant.providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  for (let accepted = 0; accepted < count; accepted += 10) {
    await Promise.all(Array.from({ length: Math.min(10, count - accepted) }, () => send("POST", "/networks", input)));
  }
}

async function acceptSingles(api: LaunchedProcess, tenant: Tenant): Promise<void> {
  for (let sent = 0; sent < SINGLES; sent++) {
    await acceptNetworks(api, tenant, 1);
    await sleep(SINGLE_EVERY_MS);
  }
}

async function transactionsOf({ db }: BenchEnvironment): Promise<number> {
  const [row] = await db.$queryRaw<{ total: bigint }[]>`
    SELECT xact_commit + xact_rollback AS total FROM pg_stat_database WHERE datname = current_database()`;
  return Number(row?.total);
}

/** Prints a row for each measurement. */
export function printScale(figures: ScaleFigures[]): void {
  console.table(
    figures.map(({ aws, workers, perSecond, cpuSeconds, cores, transactions, startMs, idleCores }) => ({
      AWS: aws,
      workers,
      "Requests/s": perSecond.toFixed(2),
      "CPU ms/Request": (cpuSeconds * 1000).toFixed(1),
      cores: cores.toFixed(2),
      "transactions/Request": transactions.toFixed(1),
      "start p50 ms": startMs.p50,
      "start p99 ms": startMs.p99,
      "idle CPU ms/s": (idleCores * 1000).toFixed(1),
    })),
  );
}
