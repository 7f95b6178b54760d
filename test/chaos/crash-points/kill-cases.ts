import type { AwsAccount } from "@gantry/local-stack";
import { aws } from "../../support/account.js";
import { unrecorded } from "../../support/records.js";
import { until } from "../../support/until.js";
import { type CaseResult, settled, successViolations } from "./case-result.js";
import type { KillableWorkerPool } from "./killable-worker-pool.js";
import type { TestCase } from "./test-cases.js";
import type { TestSystem } from "./test-system.js";

/**
 * Has one worker process die with each Request at its moment, and another take all of them over: each must end well, with
 * exactly one of everything in AWS.
 */
export async function runKillCases(
  system: TestSystem,
  pool: KillableWorkerPool,
  cases: TestCase[],
): Promise<CaseResult[]> {
  const awsAccount = await aws.createAccount();
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
      const [mine, request] = [accepted[i], requests[i]];
      const isReached = reached[i] ?? false;
      if (!mine || !request || request instanceof Error) return { testCase, isReached, violations: [String(request)] };
      const misreported = await unrecorded(database.db, mine.accountId);
      return { testCase, isReached, violations: [...successViolations(mine, request, inventory), ...misreported] };
    }),
  );
}

/** Waits until AWS has carried out what the dead had sent: a lease is longer than a call may take, but is not waited for. */
async function waitForRunningCalls({ accessKeyId }: AwsAccount): Promise<void> {
  let quiet = 0;
  await until(async () => {
    const calls = await aws.calls({ accessKeyId });
    quiet = calls.some(({ outcome }) => outcome === "running") ? 0 : quiet + 1;
    return quiet === 2;
  });
}
