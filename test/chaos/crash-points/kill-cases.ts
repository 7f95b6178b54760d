import type { AwsAccount } from "@gantry/local-stack";
import { aws, createAwsAccount } from "../../support/account.js";
import { unrecorded } from "../../support/records.js";
import { until } from "../../support/until.js";
import { type CaseResult, settled, successViolations } from "./case-result.js";
import type { KillableWorkerPool } from "./killable-worker-pool.js";
import type { TestCase } from "./test-cases.js";
import type { TestSystem } from "./test-system.js";

/**
 * Runs a batch on one worker process until every Request is at its point, then kills the process and lets another worker
 * take over. Every Request must succeed with exactly one of everything in AWS.
 */
export async function runKillCases(
  system: TestSystem,
  pool: KillableWorkerPool,
  cases: TestCase[],
): Promise<CaseResult[]> {
  const awsAccount = await createAwsAccount();
  const accepted = await Promise.all(cases.map(({ type }) => system.accept(type, awsAccount)));
  const points = accepted.map(({ accountId, requestId }, i) => ({
    accountId,
    requestId,
    point: cases[i]?.point ?? "",
  }));
  const { database, baseUrl } = system;
  const reached = await pool.runUntilKilled({ databaseUrl: database.url, baseUrl, points });
  await waitForRunningCalls(awsAccount);
  const requests = await settled(accepted.map((each) => each.finish()));
  const inventory = await aws.inventory(awsAccount);
  return Promise.all(
    cases.map(async (testCase, i) => {
      const [own, request] = [accepted[i], requests[i]];
      const isReached = reached[i] ?? false;
      if (!own || !request || request instanceof Error) return { testCase, isReached, violations: [String(request)] };
      const misreported = await unrecorded(database.db, own.accountId);
      return { testCase, isReached, violations: [...successViolations(own, request, inventory), ...misreported] };
    }),
  );
}

/** Waits until AWS has finished the calls of the dead worker. A lease outlasts every call, but the test does not wait for it. */
async function waitForRunningCalls({ accessKeyId }: AwsAccount): Promise<void> {
  let idleChecks = 0;
  await until(async () => {
    const calls = await aws.calls({ accessKeyId });
    idleChecks = calls.some(({ outcome }) => outcome === "running") ? 0 : idleChecks + 1;
    return idleChecks === 2;
  });
}
