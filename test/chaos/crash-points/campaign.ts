import type { RequestType } from "@gantry/requests";
import { aws } from "../../support/account.js";
import { runCancelCases } from "./cancel-cases.js";
import { type CaseResult, successViolations } from "./case-result.js";
import { runKillCases } from "./kill-cases.js";
import { KillableWorkerPool } from "./killable-worker-pool.js";
import { observePoints } from "./points.js";
import { cancelCases, caseName, killCases, parseCaseName, sampleCases, type TestCase } from "./test-cases.js";
import { startTestSystem, type TestSystem } from "./test-system.js";

export interface Options {
  types: RequestType[];
  /** Cancels, refusals and retries instead of deaths. */
  isCancelling: boolean;
  /** How many plays, or all. */
  sample?: number | undefined;
  seed: string;
  /** One play alone, by its name. */
  point?: string | undefined;
  /** How many Requests are disturbed together: so many one worker takes with it when it dies. */
  batchSize: number;
  /** How many such groups are played at once. */
  concurrency: number;
  log(line: string): void;
}

/** Every play that there is of the operations, and how those ended that were played. */
export interface Result {
  all: TestCase[];
  results: CaseResult[];
}

/** Plays what the options name. */
export async function runCampaign({
  isCancelling,
  sample,
  seed,
  batchSize,
  concurrency,
  log,
  ...options
}: Options): Promise<Result> {
  const system = await startTestSystem();
  try {
    const all = options.point
      ? [parseCaseName(options.point)]
      : await discoverCases(system, options.types, isCancelling, concurrency);
    const cases = sampleCases(all, sample ?? all.length, seed);
    if (cases.length === 0) throw new Error("There is nothing to play.");
    log(`${cases.length} of ${all.length} points, seed ${seed}`);
    const groups = Array.from({ length: Math.ceil(cases.length / batchSize) }, (_, i) =>
      cases.slice(i * batchSize, (i + 1) * batchSize),
    );
    const isDeadly = cases[0]?.fault === "death";
    const pool = new KillableWorkerPool(isDeadly ? groups.length : 0, concurrency);
    const results = await mapConcurrently(groups, concurrency, async (group) => {
      const playing = isDeadly ? runKillCases(system, pool, group) : runCancelCases(system, group);
      const played = await playing.catch((error) => group.map((testCase) => failed(testCase, error)));
      for (const { testCase, violations } of played)
        if (violations.length > 0) log(`WRONG ${caseName(testCase)}\n  ${violations.join("\n  ")}`);
      return played;
    });
    await pool.close();
    return { all, results: results.flat() };
  } finally {
    await system.close();
  }
}

const failed = (testCase: TestCase, error: unknown): CaseResult => ({
  testCase,
  isReached: false,
  violations: [String(error)],
});

/** Runs each operation undisturbed, and gives what can be done to it. */
async function discoverCases(
  system: TestSystem,
  types: RequestType[],
  isCancelling: boolean,
  concurrency: number,
): Promise<TestCase[]> {
  const awsAccount = await aws.createAccount();
  const surveyed = await mapConcurrently(types, concurrency * 2, async (type) => {
    const accepted = await system.accept(type, awsAccount);
    const points = new Set<string>();
    const watched = observePoints(accepted.requestId, (point) => void points.add(point));
    const request = await accepted.finish();
    watched.stop();
    return { accepted, request, moments: [...points] };
  });
  const inventory = await aws.inventory(awsAccount);
  return surveyed.flatMap(({ accepted, request, moments: points }) => {
    const { type } = accepted;
    const [wrong] = successViolations(accepted, request, inventory);
    if (wrong) throw new Error(`${type} goes wrong undisturbed: ${wrong}`);
    return isCancelling ? cancelCases(type, points) : killCases(type, points);
  });
}

/** Does something with each, with so many at a time, and gives the results in their order. */
async function mapConcurrently<Item, Result>(
  items: Item[],
  concurrency: number,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [i, item] of queue) results[i] = await act(item);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return results;
}
