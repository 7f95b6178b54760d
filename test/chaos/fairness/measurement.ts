import { setTimeout as sleep } from "node:timers/promises";
import { readEnv } from "@gantry/runtime";
import { type BenchEnvironment, REGION, startBenchEnvironment, type Tenant } from "../../load/bench-environment.js";
import { percentileOf } from "../../load/statistics.js";
import { prepareBulkCreates } from "./bulk-creates.js";
import { createClient } from "./client.js";

/** The single creates come so far apart, at least, in milliseconds. */
const PAUSE_MS = 500;
/** A contest that takes longer ends without a verdict. */
const TIMEOUT_MS = 600_000;

/** Without a default; the workers are to have that of their rates. */
const NEEDED = { DATABASE_URL: "-", MASTER_KEY: Buffer.alloc(32).toString("base64") };

interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

export interface FairnessResult {
  singles: number;
  /** From when a single create was accepted until a worker began it. */
  startMs: Percentiles;
  /** From when a single create was sent until the API answered. */
  answerMs: Percentiles;
  seconds: number;
  /** Of the flood. */
  bulkAccepted: number;
  bulkStarted: number;
  bulkUnfinished: number;
  /** Attempts at calls to AWS, as AWS saw them. */
  calls: number;
  bulkCalls: number;
  throttled: number;
}

/** Has one account flood so many workers while another asks for single addresses. */
export async function measureFairness(wanted: {
  workers: number;
  creates: number;
  samples: number;
}): Promise<FairnessResult> {
  const stage = await startBenchEnvironment();
  try {
    const api = await stage.launch("apps/api/src/main.ts");
    const newcomer = await stage.addTenant();
    for (const { awsAccount } of [stage, newcomer]) await stage.aws.enforcePublishedRates(awsAccount);
    const settings = { BASE_URL: api.url, AWS_RATE_SHARE: String(readEnv(NEEDED).AWS_RATE_SHARE) };
    const launch = () => stage.launch("apps/worker/src/main.ts", [], settings);
    await Promise.all(Array.from({ length: wanted.workers }, launch));
    const flood = await prepareBulkCreates(stage, api.url);

    const start = performance.now();
    const over = new AbortController();
    const limit = setTimeout(() => over.abort(new Error("The contest took too long.")), TIMEOUT_MS);
    let isArriving = true;
    const flooding = flood(wanted.creates, over.signal).finally(() => {
      isArriving = false;
    });
    // A flood that fails ends the contest at once.
    const failed = new Promise<never>((_, reject) => void flooding.catch(reject));
    const isEnough = (asked: number) => asked >= wanted.samples && !isArriving;
    const asking = createSingly(stage, newcomer, api.url, isEnough, over.signal);
    const singles = await Promise.race([asking, failed]).finally(() => clearTimeout(limit));
    const seconds = (performance.now() - start) / 1000;
    const startMs = await startTimes(stage, singles.ids);
    const answerMs = percentiles(singles.answersMs);
    const bulkStarted = await countOf(stage, { startedAt: { not: null } });
    const bulkUnfinished = await countOf(stage, { finishedAt: null });
    over.abort();
    const bulkAccepted = await flooding;
    const calls = await stage.aws.calls();
    const throttled = calls.filter(
      ({ outcome, errorCode }) => outcome === "throttled" || errorCode === "RequestLimitExceeded",
    );
    const bulkCalls = calls.filter(({ accountId }) => accountId === stage.awsAccount.accountId).length;
    return {
      singles: singles.ids.length,
      startMs,
      answerMs,
      seconds,
      bulkAccepted,
      bulkStarted,
      bulkUnfinished,
      calls: calls.length,
      bulkCalls,
      throttled: throttled.length,
    };
  } finally {
    await stage.stop();
  }
}

function countOf({ db, accountId }: BenchEnvironment, where: object): Promise<number> {
  return db.request.count({ where: { accountId, ...where } });
}

/** Asks for an address, waits until it is begun, and asks for the next. */
async function createSingly(
  { db }: BenchEnvironment,
  { providerId, token }: Tenant,
  api: string,
  isEnough: (asked: number) => boolean,
  over: AbortSignal,
) {
  const client = createClient(api, token);
  const [ids, answersMs]: [string[], number[]] = [[], []];
  await db.providerLocation.updateMany({ where: { providerId }, data: { addressLimit: 100_000 } });
  const wanted = { provider: providerId, address: { location: REGION } };
  while (!isEnough(ids.length)) {
    const sent = performance.now();
    const { request } = await client.post<{ request: { id: string } }>("/addresses", wanted);
    answersMs.push(performance.now() - sent);
    ids.push(request.id);
    do await sleep(PAUSE_MS, undefined, { signal: over });
    while (!(await db.request.findFirst({ where: { id: request.id, startedAt: { not: null } } })));
  }
  return { ids, answersMs };
}

async function startTimes({ db }: BenchEnvironment, ids: string[]): Promise<Percentiles> {
  const requests = await db.request.findMany({ where: { id: { in: ids } } });
  const ms = requests.map(({ startedAt, createdAt }) => (startedAt ?? new Date()).getTime() - createdAt.getTime());
  return percentiles(ms);
}

function percentiles(ms: number[]): Percentiles {
  return { p50: percentileOf(ms, 0.5), p99: percentileOf(ms, 0.99), max: Math.max(...ms) };
}
