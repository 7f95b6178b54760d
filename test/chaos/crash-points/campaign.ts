import type { RequestType } from "@gantry/resources";
import { aws, createAwsAccount } from "../../support/account.js";
import { ensureWorkerIdentity } from "../../support/process-identity.js";
import { runCancelCases } from "./cancel-cases.js";
import { type CaseResult, successViolations } from "./case-result.js";
import { runKillCases } from "./kill-cases.js";
import { KillableWorkerPool } from "./killable-worker-pool.js";
import { observePoints } from "./points.js";
import { cancelCases, caseName, killCases, parseCaseName, sampleCases, type TestCase } from "./test-cases.js";
import { startTestSystem, type TestSystem } from "./test-system.js";

export interface Options {
  types: RequestType[];
  /** Runs cancels and refusals, each with a retry, instead of worker deaths. */
  isCancelling: boolean;
  /** The number of cases; all of them by default. */
  sample?: number | undefined;
  seed: string;
  /** The name of a single case. */
  point?: string | undefined;
  /** The number of Requests that one worker process runs when it dies. */
  batchSize: number;
  /** The number of batches that run at the same time. */
  concurrency: number;
  log(line: string): void;
}

/** All cases of the request types, and the results of those that ran. */
export interface Result {
  all: TestCase[];
  results: CaseResult[];
}

export async function runCampaign(options: Options): Promise<Result> {
  const { seed, log } = options;
  // Before the first worker starts, for the scenario of a shared provider.
  ensureWorkerIdentity(await createAwsAccount());
  const system = await startTestSystem();
  try {
    const all = options.point ? [parseCaseName(options.point)] : await discoverCases(system, options);
    const cases = sampleCases(all, options.sample ?? all.length, seed);
    if (cases.length === 0) throw new Error("There are no points.");
    log(`${cases.length} of ${all.length} points, seed ${seed}`);
    const results = await runCases(system, cases, options);
    const isMissed = ({ isReached, violations }: CaseResult) => !isReached && violations.length === 0;
    const missed = results.filter(isMissed).map(({ testCase }) => testCase);
    if (missed.length === 0) return { all, results };
    // The number of calls of a run depends on which of them share one: not every run passes every point.
    log(`Again, since the first run did not pass it:\n  ${missed.map(caseName).join("\n  ")}`);
    return {
      all,
      results: [...results.filter((each) => !isMissed(each)), ...(await runCases(system, missed, options))],
    };
  } finally {
    await system.close();
  }
}

async function runCases(
  system: TestSystem,
  cases: TestCase[],
  { batchSize, concurrency, log }: Options,
): Promise<CaseResult[]> {
  const batches = Array.from({ length: Math.ceil(cases.length / batchSize) }, (_, i) =>
    cases.slice(i * batchSize, (i + 1) * batchSize),
  );
  const killsWorkers = cases[0]?.fault === "death";
  const pool = new KillableWorkerPool(killsWorkers ? batches.length : 0, concurrency);
  const results = await mapConcurrently(batches, concurrency, async (batch) => {
    const running = killsWorkers ? runKillCases(system, pool, batch) : runCancelCases(system, batch);
    const failed = (error: unknown) =>
      batch.map((testCase) => ({ testCase, isReached: false, violations: [String(error)] }));
    const finished = await running.catch(failed);
    for (const { testCase, violations } of finished)
      if (violations.length > 0) log(`WRONG ${caseName(testCase)}\n  ${violations.join("\n  ")}`);
    return finished;
  });
  await pool.close();
  return results.flat();
}

/** Runs each request type without a fault, and returns a case for every point that its Request passed. */
async function discoverCases(system: TestSystem, options: Options): Promise<TestCase[]> {
  const awsAccount = await createAwsAccount();
  const concurrency = options.concurrency * 2;
  // The first run leaves what later ones find, such as the instance types of a region, and passes points that they do not.
  const first = await mapConcurrently(options.types, concurrency, async (type) => {
    const accepted = await system.accept(type, awsAccount);
    return accepted.finish();
  });
  const failed = first.find(({ successful }) => !successful);
  if (failed) throw new Error(`${failed.type} fails without a fault: ${failed.message}`);
  const discovered = await mapConcurrently(options.types, concurrency, async (type) => {
    const accepted = await system.accept(type, awsAccount);
    const points = new Set<string>();
    const observer = observePoints(accepted.requestId, (point) => void points.add(point));
    const request = await accepted.finish();
    observer.stop();
    return { accepted, request, points: [...points] };
  });
  const inventory = await aws.inventory(awsAccount);
  return discovered.flatMap(({ accepted, request, points }) => {
    const { type } = accepted;
    const [violation] = successViolations(accepted, request, inventory);
    if (violation) throw new Error(`${type} fails without a fault: ${violation}`);
    return options.isCancelling ? cancelCases(type, points) : killCases(type, points);
  });
}

/** Runs `process` on every item, `concurrency` at a time, and returns the results in the order of the items. */
async function mapConcurrently<Item, Result>(
  items: Item[],
  concurrency: number,
  process: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const run = async () => {
    for (const [i, item] of queue) results[i] = await process(item);
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  return results;
}
