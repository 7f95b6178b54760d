import { readFileSync } from "node:fs";
import { REGION } from "@gantry/test/support/account";
import { interceptor } from "@gantry/test/support/aws-interceptor";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { awsOpener } from "../clients.js";
import { SIMULATED } from "./actions.js";
import { checkDryRuns } from "./dry-runs.js";

const context = awsTestContext();

const READING = /:(Describe|Get|List|Simulate)/;

/** The actions of EC2 whose permission the check tries by a dry run. */
async function dryRunActions(): Promise<string[]> {
  const actions: string[] = [];
  const { wrap } = interceptor((_nth, side, command, { input }) => {
    if (side === "before" && "DryRun" in input && input.DryRun) actions.push(`ec2:${command.replace(/Command$/, "")}`);
  });
  await checkDryRuns(
    wrap(awsOpener(10, { serverImage: context.env.SERVER_IMAGE_PARAMETER })(REGION, context.customer.awsAccount)),
  );
  return actions;
}

/** The changes that the shipped policies of a provider's role allow, without those on a customer's keys. */
function allowedChanges(): string[] {
  const statements = ["gantry-servers", "gantry-databases-and-roles"].flatMap((name) => {
    const file = new URL(`../../../../../docs/aws/${name}.json`, import.meta.url);
    return JSON.parse(readFileSync(file, "utf8")).Statement as { Effect: string; Action: string[] }[];
  });
  const actions = statements.flatMap(({ Effect, Action }) => (Effect === "Allow" ? Action : []));
  return [...new Set(actions)].filter((action) => !READING.test(action));
}

it("checks every change that the shipped policies allow, and no other", async () => {
  const simulated = SIMULATED.flatMap(({ actions }) => actions).filter((action) => !READING.test(action));
  expect([...new Set([...simulated, ...(await dryRunActions())])].sort()).toEqual(allowedChanges().sort());
});
