import type { AwsAccount } from "@gantry/local-stack";
import { aws } from "../../support/account.js";
import { unrecorded } from "../../support/records.js";
import { until } from "../../support/until.js";
import { type Outcome, settled, wrongWithSuccess } from "./case-result.js";
import type { Mortals } from "./killable-worker-pool.js";
import type { Play } from "./test-cases.js";
import type { House } from "./test-system.js";

/**
 * Has one worker process die with each Request at its moment, and another take all of them over: each must end well, with
 * exactly one of everything in AWS.
 */
export async function playDeaths(appContext: House, mortals: Mortals, plays: Play[]): Promise<Outcome[]> {
  const awsAccount = await aws.createAccount();
  const accepted = await Promise.all(plays.map(({ type }) => appContext.accept(type, awsAccount)));
  const fates = accepted.map(({ accountId, requestId }, i) => ({
    accountId,
    requestId,
    moment: plays[i]?.moment ?? "",
  }));
  const { database, baseUrl } = appContext;
  const reached = await mortals.send({ databaseUrl: database.url, baseUrl, fates });
  await silence(awsAccount);
  const requests = await settled(accepted.map((each) => each.finish()));
  const inventory = await aws.inventory(awsAccount);
  return Promise.all(
    plays.map(async (play, i) => {
      const [mine, request] = [accepted[i], requests[i]];
      const isReached = reached[i] ?? false;
      if (!mine || !request || request instanceof Error) return { play, isReached, wrong: [String(request)] };
      const untold = await unrecorded(database.db, mine.accountId);
      return { play, isReached, wrong: [...wrongWithSuccess(mine, request, inventory), ...untold] };
    }),
  );
}

/** Waits until AWS has carried out what the dead had sent: a lease is longer than a call may take, but is not waited for. */
async function silence({ accessKeyId }: AwsAccount): Promise<void> {
  let quiet = 0;
  await until(async () => {
    const calls = await aws.calls({ accessKeyId });
    quiet = calls.some(({ outcome }) => outcome === "running") ? 0 : quiet + 1;
    return quiet === 2;
  });
}
