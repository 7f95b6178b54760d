import { quit, readOptions, wholeNumber } from "../../support/command.js";
import { ABLATIONS, type Ablation } from "./ablations.js";
import { type Result, runCampaign } from "./campaign.js";
import { describeFault, faultSchedule } from "./fault-schedule.js";
import { formatReport, isPassed } from "./report.js";
import { isStoresName, STORES } from "./stores/index.js";

const USAGE = `Usage: npm run chaos [-- --kills N] [--seed S] [--clients N] [--stores NAME] [--without PROTECTION | --ablation | --plan]

Runs two APIs, three workers, PostgreSQL, Redis and an emulated AWS, each in a process of its own, under a mixed workload of
creates, changes, removals, cancels and retries. Kills processes, freezes workers, flushes Redis, acts on the queue as
people do in a dashboard, and makes AWS lose responses, throttle, fail, and show new objects late. A webhook's receiver fails, hangs and dies. When all Requests have
ended, compares the accepted Requests with the database and with AWS, and the events with those that the receiver took.

  --kills N             processes to kill with SIGKILL (40)
  --seed S              draws the faults and the workload (1)
  --clients N           concurrent clients (10)
  --stores NAME         what PostgreSQL and Redis run as: ${Object.keys(STORES).join(", ")} (single)
  --plan                prints the faults of the seed and runs nothing
  --without PROTECTION  disables one protection: ${Object.keys(ABLATIONS).join(", ")}
  --ablation            runs one campaign without each protection; passes if every one of them finds violations`;

const values = readOptions(USAGE, {
  kills: { type: "string", default: "40" },
  seed: { type: "string", default: "1" },
  clients: { type: "string", default: "10" },
  stores: { type: "string", default: "single" },
  plan: { type: "boolean", default: false },
  without: { type: "string" },
  ablation: { type: "boolean", default: false },
});
const kills = wholeNumber("kills", values.kills);
const seed = wholeNumber("seed", values.seed);
const clients = wholeNumber("clients", values.clients);
const stores = isStoresName(values.stores) ? values.stores : quit(`There are no stores "${values.stores}".`);
if (values.plan) {
  for (const fault of faultSchedule(seed, kills))
    console.log(`${String(fault.afterMs).padStart(5)} ms  ${describeFault(fault)}`);
} else if (values.ablation) {
  const unnoticed: string[] = [];
  for (const [name, ablation] of Object.entries(ABLATIONS)) {
    console.log(`\nwithout ${name}`);
    const { violations } = await run(ablation);
    if (ablation.expectedViolations.every((kind) => violations[kind].length === 0)) unnoticed.push(name);
  }
  console.log(
    unnoticed.length > 0 ? `\nNo violation without ${unnoticed.join(", ")}` : "\nEvery ablation was noticed.",
  );
  process.exitCode = unnoticed.length > 0 ? 1 : 0;
} else {
  const { without } = values;
  if (without !== undefined && !Object.hasOwn(ABLATIONS, without)) quit(`There is no protection "${without}".`);
  process.exitCode = isPassed(await run(without === undefined ? undefined : ABLATIONS[without])) ? 0 : 1;
}

async function run(ablation?: Ablation): Promise<Result> {
  const result = await runCampaign({ kills, seed, clients, ablation, stores, log: console.log });
  console.log(formatReport(result));
  return result;
}
