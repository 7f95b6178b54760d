import { type Check, type Gantry, NotFound } from "@gantry/client";
import colors from "picocolors";
import { runCommand, type Values } from "./command.js";
import { CONNECTION_HELP, CONNECTION_OPTIONS, connect } from "./gantry-connection.js";

const HELP = `Usage: npm run doctor -- --provider ID [--region REGION] [--json]

Asks a running Gantry to check a provider's AWS account: shows what would fail there, why, and who can fix it. Changes
nothing. Exits with 1 if something fails, and with 2 if the check itself did not finish.

  --provider ID    the provider's id
  --region REGION  one region instead of every enabled one
  --json           prints the report as JSON
${CONNECTION_HELP}`;

const MARKS = { ok: colors.green("ok     "), warning: colors.yellow("warning"), fails: colors.red("fails  ") };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  provider: { type: "string" },
  region: { type: "string" },
  json: { type: "boolean" },
} as const;

await runCommand(HELP, OPTIONS, run);

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  if (!/^\d+$/.test(values.provider ?? "")) throw new Error("--provider requires the id of a provider. See --help.");
  const checks = await check(connect(values), values.provider ?? "", values.region);
  if (values.json) console.log(JSON.stringify({ checks }, null, 2));
  else print(checks);
  return checks.some(({ result }) => result === "fails") ? 1 : 0;
}

async function check(gantry: Gantry, provider: string, region: string | undefined): Promise<Check[]> {
  const request = await gantry.providers.check(provider, region ? { region } : {}).catch((error) => {
    throw error instanceof NotFound ? new Error(`There is no provider ${provider}.`) : error;
  });
  await request.done();
  return gantry.requests.checks(request);
}

function print(checks: Check[]): void {
  const width = Math.max(...checks.map((line) => nameOf(line).length));
  for (const line of checks) {
    const { result, reason, remedy, who } = line;
    console.log(`${MARKS[result]}  ${nameOf(line).padEnd(width)}  ${reason}`);
    if (remedy) console.log(`${" ".repeat(width + 11)}→ ${who ? `the ${who}: ` : ""}${remedy}`);
  }
  const count = (result: Check["result"]) => checks.filter((line) => line.result === result).length;
  console.log(`\n${count("fails")} fail, ${count("warning")} warnings, ${count("ok")} ok. Nothing was changed.`);
}

function nameOf({ check, region }: Check): string {
  return region ? `${check}, ${region}` : check;
}
