import { Gantry, type Provider } from "@gantry/client";
import colors from "picocolors";
import { recordFixtures } from "./smoke-aws/fixtures.js";
import { Limits } from "./smoke-aws/limits.js";
import { type Options, quit, readOptions } from "./smoke-aws/options.js";
import { orUndefined, Run } from "./smoke-aws/run.js";
import { runSteps, uniqueName } from "./smoke-aws/steps.js";
import { sweep } from "./smoke-aws/sweep.js";
import {
  type AwsObject,
  awsAccountOf,
  type Clients,
  findRole,
  findTagged,
  openClients,
  REQUEST_TAG,
} from "./smoke-aws/tagged-aws.js";

/** The time for which AWS may refuse to remove an object that another one uses. */
const SWEEP_MINUTES = 20;

const options = readOptions();
const limits = new Limits(options);
const gantry = new Gantry({ baseUrl: options.url, token: options.token });
const run = new Run(gantry, limits, report);
const clients = openClients(options.region, options.awsEndpoint);
const isEmulated =
  options.awsEndpoint !== undefined && !new URL(options.awsEndpoint).hostname.endsWith(".amazonaws.com");
const failures: string[] = [];
let interrupts = 0;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);

try {
  await main(options);
} catch (error) {
  failures.push((error as Error).message);
}
for (const failure of failures) console.error(colors.red(failure));
if (failures.length === 0) console.log(colors.green("\nEvery step succeeded, and nothing remains in AWS."));
process.exit(failures.length === 0 ? 0 : 1);

async function main({ region, minutes, dollars, yes, fixtures }: Options): Promise<void> {
  const provider = await chooseProvider();
  const account = provider.account.split("/").at(-1) ?? "";
  const awsAccount = await awsAccountOf(clients);
  if (awsAccount !== provider.provisioned_id) {
    quit(`The credentials belong to the AWS account ${awsAccount}, but the provider uses ${provider.provisioned_id}.`);
  }
  const cost = isEmulated ? "an emulated AWS" : `real AWS, for at most about $${dollars} and ${minutes} minutes`;
  report(`Provider ${provider.id}, ${region}, ${cost}`);
  if (!isEmulated && !yes) quit("This costs money. Add --yes.");
  const existing = new Set((await findTagged(clients, account)).map(({ id }) => id));
  if (existing.size > 0) report(`The account already has ${existing.size} objects in AWS; the run does not touch them`);

  const name = uniqueName();
  const find = async () => {
    const tagged = (await findTagged(clients, account)).filter(({ id }) => !existing.has(id));
    const own = await Promise.all(tagged.map(isOfThisRun));
    return [...tagged.filter((_, i) => own[i]), ...(await findRole(clients, name, awsAccount))];
  };
  try {
    await runSteps(run, { account, provider: provider.id, region, name }, heading);
    if (fixtures) {
      const files = await recordFixtures(clients, { account, objects: await find(), folder: fixtures });
      report(`Recorded ${files.length} answers of AWS in ${fixtures}`);
    }
  } catch (error) {
    failures.push((error as Error).message);
    console.error(colors.red(`  ${(error as Error).message}`));
  }
  heading("Removal of all objects");
  failures.push(...(await run.removeAll()));
  await checkLeftovers(clients, find);
  report(`${limits.minutes().toFixed(1)} minutes, about $${limits.dollars().toFixed(2)} by Gantry's estimate`);
}

async function checkLeftovers(clients: Clients, find: () => Promise<AwsObject[]>): Promise<void> {
  heading("Objects in AWS with the account's tag");
  const left = await find();
  for (const { kind, id } of left) report(`left: ${kind} ${id}`);
  if (left.length === 0) return report("none remain");
  failures.push(`The run left ${left.length} objects in AWS${options.sweep ? "" : "; use --sweep to remove them"}.`);
  if (!options.sweep) return;
  const pauseSeconds = isEmulated ? 0.2 : 10;
  const remaining = await sweep({ clients, find, report, minutes: SWEEP_MINUTES, pauseSeconds });
  for (const { kind, id } of remaining) failures.push(`not removed: ${kind} ${id}`);
}

/**
 * True for an object of one of the run's Requests or of their child Requests; false if Gantry does not know the
 * Request.
 */
async function isOfThisRun({ tags }: AwsObject): Promise<boolean> {
  let id = tags[REQUEST_TAG];
  while (id && !run.requestIds.has(id)) {
    const request = await orUndefined(gantry.requests.get(id));
    id = /\/requests\/([^/]+)$/.exec(request?.requester ?? "")?.[1];
  }
  return id !== undefined;
}

async function chooseProvider(): Promise<Provider> {
  const providers = await gantry.providers.list().toArray({ max: 100 });
  const found = options.provider ? providers.filter(({ id }) => id === options.provider) : providers;
  const [only, ...others] = found;
  if (!only) return quit(options.provider ? `There is no provider ${options.provider}.` : "There is no provider.");
  if (others.length > 0) return quit(`Choose one with --provider: ${found.map(({ id }) => id).join(", ")}`);
  return only;
}

function heading(sentence: string): void {
  const costs = `${limits.minutes().toFixed(1)} min, $${limits.dollars().toFixed(2)}`;
  console.log(`\n${colors.bold(sentence)} ${colors.dim(`(${costs})`)}`);
}

function report(sentence: string): void {
  console.log(`  ${sentence}`);
}

function interrupt(): void {
  interrupts += 1;
  if (interrupts > 1) process.exit(130);
  console.log("\nInterrupted: removing everything. Interrupt again to leave the objects in AWS.");
  limits.interrupt("the run was interrupted");
}
