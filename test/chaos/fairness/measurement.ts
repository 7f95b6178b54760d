import { setTimeout as sleep } from "node:timers/promises";
import { type BenchEnvironment, REGION, startBenchEnvironment, type Tenant } from "../../load/bench-environment.js";
import { percentileOf } from "../../load/statistics.js";
import { DEFAULT_SETTINGS } from "../../support/default-settings.js";
import { prepareBulkCreates } from "./bulk-creates.js";
import { createClient } from "./client.js";

/** The shortest time between two single creates. */
const PAUSE_MS = 500;
const LIMIT_MS = 600_000;

interface Percentiles {
  p50: number;
  p99: number;
  max: number;
}

export interface FairnessResult {
  singles: number;
  /** From the acceptance of a single create until a worker started it, or until now. */
  startMs: Percentiles;
  /** The same of the bulk creates. */
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

/** Measures single creates of one account during the bulk creates of another, for at most ten minutes. */
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
    const timeout = setTimeout(() => end.abort(), LIMIT_MS);
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
    end.abort();
    const bulk = { id: { in: await bulkCreates } };
    const bulkStartMs = await startTimes(bench, bulk);
    const answerMs = percentiles(singles.answersMs);
    const bulkStarted = await bench.db.request.count({ where: { ...bulk, startedAt: { not: null } } });
    const bulkUnfinished = await bench.db.request.count({ where: { ...bulk, finishedAt: null } });
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
      bulkAccepted: bulk.id.in.length,
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
  while (!isEnough(ids.length) && !end.aborted) {
    const sent = performance.now();
    const { request } = await client.post<{ request: { id: string } }>("/addresses", wanted);
    answersMs.push(performance.now() - sent);
    ids.push(request.id);
    do await sleep(PAUSE_MS);
    while (!end.aborted && !(await db.request.findFirst({ where: { id: request.id, startedAt: { not: null } } })));
  }
  return { ids, answersMs };
}

async function startTimes({ db }: BenchEnvironment, where: object): Promise<Percentiles> {
  const now = Date.now();
  const requests = await db.request.findMany({ where });
  return percentiles(requests.map(({ startedAt, createdAt }) => Number(startedAt ?? now) - Number(createdAt)));
}

function percentiles(ms: number[]): Percentiles {
  return { p50: percentileOf(ms, 0.5), p99: percentileOf(ms, 0.99), max: Math.max(...ms) };
}
