import { quit, readOptions, wholeNumber } from "../../support/command.js";
import { SABOTAGES, type Sabotage } from "./ablations.js";
import { campaign, type Result } from "./campaign.js";
import { nameOf, planHarms } from "./fault-schedule.js";
import { isKept, reportOf } from "./report.js";

const USAGE = `Usage: npm run chaos [-- --kills N] [--seed S] [--customers N] [--without PROTECTION | --sabotage | --plan]

Runs two APIs, three workers, PostgreSQL, Redis and an emulated AWS, each in a process of its own, under a mixed load of
creates, changes, removals, cancels and retries. Processes are killed, workers frozen, Redis flushed, and AWS loses answers,
throttles, fails and shows late what was made. When all has come to rest, what customers were promised is compared with
the database and with AWS.

  --kills N        how many processes are killed with SIGKILL (40)
  --seed S         draws the harms and the load (1)
  --customers N    how many use the API at once (10)
  --plan           only print the harms of the seed
  --without NAME   with one protection taken out: ${Object.keys(SABOTAGES).join(", ")}
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
const customers = wholeNumber("customers", values.customers);
if (values.plan) {
  for (const harm of planHarms(seed, kills)) console.log(`${String(harm.afterMs).padStart(5)} ms  ${nameOf(harm)}`);
} else if (values.sabotage) {
  const blind: string[] = [];
  for (const [name, sabotage] of Object.entries(SABOTAGES)) {
    console.log(`\nwithout ${name}`);
    const { finding } = await run(sabotage);
    if (sabotage.shows.every((kind) => finding[kind].length === 0)) blind.push(name);
  }
  console.log(blind.length > 0 ? `\nNot noticed: the lack of ${blind.join(", ")}` : "\nEvery lack was noticed.");
  process.exitCode = blind.length > 0 ? 1 : 0;
} else {
  const { without } = values;
  if (without !== undefined && !Object.hasOwn(SABOTAGES, without)) quit(`There is no protection "${without}".`);
  process.exitCode = isKept(await run(without === undefined ? undefined : SABOTAGES[without])) ? 0 : 1;
}

/** Plays the campaign and tells how it went. */
async function run(sabotage?: Sabotage): Promise<Result> {
  const result = await campaign({ kills, seed, customers, sabotage, say: console.log });
  console.log(reportOf(result));
  return result;
}
