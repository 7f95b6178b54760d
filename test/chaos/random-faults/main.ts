import { quit, readOptions, wholeNumber } from "../../support/command.js";
import { ABLATIONS, type Ablation } from "./ablations.js";
import { type Result, runCampaign } from "./campaign.js";
import { describeFault, faultSchedule } from "./fault-schedule.js";
import { formatReport, isPassed } from "./report.js";

const USAGE = `Usage: npm run chaos [-- --kills N] [--seed S] [--customers N] [--without PROTECTION | --sabotage | --plan]

Runs two APIs, three workers, PostgreSQL, Redis and an emulated AWS, each in a process of its own, under a mixed load of
creates, changes, removals, cancels and retries. Processes are killed, workers frozen, Redis flushed, and AWS loses answers,
throttles, fails and shows late what was made. When all has come to rest, what customers were promised is compared with
the database and with AWS.

  --kills N        how many processes are killed with SIGKILL (40)
  --seed S         draws the harms and the load (1)
  --customers N    how many use the API at once (10)
  --plan           only print the harms of the seed
  --without NAME   with one protection taken out: ${Object.keys(ABLATIONS).join(", ")}
  --sabotage       one campaign without each of them; well where every one of them finds something wrong`;

const values = readOptions(USAGE, {
  kills: { type: "string", default: "40" },
  seed: { type: "string", default: "1" },
  customers: { type: "string", default: "10" },
  plan: { type: "boolean", default: false },
  without: { type: "string" },
  sabotage: { type: "boolean", default: false },
});
const kills = wholeNumber("kills", values.kills);
const seed = wholeNumber("seed", values.seed);
const clients = wholeNumber("customers", values.customers);
if (values.plan) {
  for (const fault of faultSchedule(seed, kills))
    console.log(`${String(fault.afterMs).padStart(5)} ms  ${describeFault(fault)}`);
} else if (values.sabotage) {
  const blind: string[] = [];
  for (const [name, ablation] of Object.entries(ABLATIONS)) {
    console.log(`\nwithout ${name}`);
    const { violations } = await run(ablation);
    if (ablation.expectedViolations.every((kind) => violations[kind].length === 0)) blind.push(name);
  }
  console.log(blind.length > 0 ? `\nNot noticed: the lack of ${blind.join(", ")}` : "\nEvery lack was noticed.");
  process.exitCode = blind.length > 0 ? 1 : 0;
} else {
  const { without } = values;
  if (without !== undefined && !Object.hasOwn(ABLATIONS, without)) quit(`There is no protection "${without}".`);
  process.exitCode = isPassed(await run(without === undefined ? undefined : ABLATIONS[without])) ? 0 : 1;
}

/** Plays the campaign and tells how it went. */
async function run(ablation?: Ablation): Promise<Result> {
  const result = await runCampaign({ kills, seed, clients, ablation, log: console.log });
  console.log(formatReport(result));
  return result;
}
