import { setTimeout as sleep } from "node:timers/promises";
import { type BenchEnvironment, REGION, startBenchEnvironment, type Tenant } from "../../load/bench-environment.js";
import { percentileOf } from "../../load/statistics.js";
import { DEFAULT_SETTINGS } from "../../support/default-settings.js";
import { prepareBulkCreates } from "./bulk-creates.js";
import { createClient } from "./client.js";

/** The shortest time between two single creates. */
const PAUSE_MS = 500;
const TIMEOUT_MS = 600_000;

interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

export interface FairnessResult {
  singles: number;
  /** From the acceptance of a single create until a worker started it. */
  startMs: Percentiles;
  /** The same of the bulk creates that were started. */
  bulkStartMs: Percentiles;
  /** From sending a single create until the API answered. */
  answerMs: Percentiles;
  seconds: number;
  bulkAccepted: number;
  bulkStarted: number;
  bulkUnfinished: number;
  /** Attempts of calls that reached AWS. */
  calls: number;
  bulkCalls: number;
  throttled: number;
}

/** Measures single creates of one account during the bulk creates of another. */
export async function measureFairness(wanted: {
  workers: number;
  creates: number;
  samples: number;
}): Promise<FairnessResult> {
  const bench = await startBenchEnvironment();
  try {
    const api = await bench.launch("apps/api/src/main.ts");
    const singleTenant = await bench.addTenant();
    for (const { awsAccount } of [bench, singleTenant]) await bench.aws.enforcePublishedRates(awsAccount);
    const settings = { BASE_URL: api.url, AWS_RATE_SHARE: String(DEFAULT_SETTINGS.AWS_RATE_SHARE) };
    const launch = () => bench.launch("apps/worker/src/main.ts", [], settings);
    await Promise.all(Array.from({ length: wanted.workers }, launch));
    const runBulkCreates = await prepareBulkCreates(bench, api.url);

    const start = performance.now();
    const end = new AbortController();
    const timeout = setTimeout(() => end.abort(new Error("The measurement took too long.")), TIMEOUT_MS);
    let isSending = true;
    const bulkCreates = runBulkCreates(wanted.creates, end.signal).finally(() => {
      isSending = false;
    });
    // A failed bulk create ends the measurement at once.
    const failed = new Promise<never>((_, reject) => void bulkCreates.catch(reject));
    const isEnough = (count: number) => count >= wanted.samples && !isSending;
    const singleCreates = createSingly(bench, singleTenant, api.url, isEnough, end.signal);
    const singles = await Promise.race([singleCreates, failed]).finally(() => clearTimeout(timeout));
    const seconds = (performance.now() - start) / 1000;
    const startMs = await startTimes(bench, { id: { in: singles.ids } });
    const bulkStartMs = await startTimes(bench, { accountId: bench.accountId, parentId: null });
    const answerMs = percentiles(singles.answersMs);
    const bulkStarted = await countOf(bench, { startedAt: { not: null } });
    const bulkUnfinished = await countOf(bench, { finishedAt: null });
    end.abort();
    const bulkAccepted = await bulkCreates;
    const calls = await bench.aws.calls();
    const throttled = calls.filter(
      ({ outcome, errorCode }) => outcome === "throttled" || errorCode === "RequestLimitExceeded",
    );
    const bulkCalls = calls.filter(({ accountId }) => accountId === bench.awsAccount.accountId).length;
    return {
      singles: singles.ids.length,
      startMs,
      bulkStartMs,
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
    await bench.stop();
  }
}

function countOf({ db, accountId }: BenchEnvironment, where: object): Promise<number> {
  return db.request.count({ where: { accountId, ...where } });
}

/** Creates an address, waits until its Request has started, and creates the next one. */
async function createSingly(
  { db }: BenchEnvironment,
  { providerId, token }: Tenant,
  api: string,
  isEnough: (count: number) => boolean,
  end: AbortSignal,
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
    do await sleep(PAUSE_MS, undefined, { signal: end });
    while (!(await db.request.findFirst({ where: { id: request.id, startedAt: { not: null } } })));
  }
  return { ids, answersMs };
}

async function startTimes({ db }: BenchEnvironment, where: object): Promise<Percentiles> {
  const requests = await db.request.findMany({ where: { ...where, startedAt: { not: null } } });
  return percentiles(requests.map(({ startedAt, createdAt }) => Number(startedAt) - Number(createdAt)));
}

function percentiles(ms: number[]): Percentiles {
  return { p50: percentileOf(ms, 0.5), p99: percentileOf(ms, 0.99), max: Math.max(...ms) };
}
