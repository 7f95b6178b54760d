import colors from "picocolors";
import { runCommand, type Values } from "./command.js";
import type { Client } from "./demo-client.js";
import { CONNECTION_HELP, CONNECTION_OPTIONS, connect } from "./gantry-connection.js";

const HELP = `Usage: npm run doctor -- --provider ID [--region REGION] [--json]

Asks a running Gantry to check a provider's AWS account: shows what would fail there, why, and who can fix it. Changes
nothing. Exits with 1 if something fails, and with 2 if the check itself did not finish.

  --provider ID    the provider's id
  --region REGION  one region instead of every enabled one
  --json           prints the report as JSON
${CONNECTION_HELP}`;

interface Check {
  check: string;
  region: string | null;
  result: "ok" | "warning" | "fails";
  reason: string;
  remedy: string | null;
  who: string | null;
}

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
  const client = connect(values);
  const checks = await check(client, values.provider ?? "", values.region);
  if (values.json) console.log(JSON.stringify({ checks }, null, 2));
  else print(checks);
  return checks.some(({ result }) => result === "fails") ? 1 : 0;
}

async function check(client: Client, provider: string, region: string | undefined): Promise<Check[]> {
  const { id } = await client.createRequest("POST", `/providers/${provider}/check`, region ? { region } : {});
  for await (const { type, record } of client.events(id))
    if (type === "request.failed") throw new Error(`The check failed: ${record.message}`);
  return (await client.get<{ checks: Check[] }>(`/requests/${id}/checks`)).checks;
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
