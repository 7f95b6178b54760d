import { parseArgs } from "node:util";
import { connectDb } from "@gantry/db";
import { ownerDatabaseUrl, readEnv } from "@gantry/runtime";
import { redactAudit } from "./http/audit/redact-audit.js";
import { endpoints } from "./resources/index.js";

const HELP = `Usage: npm run audit:redact [-- --apply] [--record ID] [--reason TEXT]

Finds in the audit what Gantry would hide today, such as a password that an earlier version kept in clear, and shows in
how many records of which actions it is. Changes nothing without --apply. Exits with 1 if it found any and left it.

  --apply        replaces these values with …; the records stay, and another record in their chain shows each change
  --record ID    hides the whole input of one record instead, such as a password that was typed as a name
  --reason TEXT  is kept as the reason in the records that show the change

You can interrupt it and repeat it while the apps run. It reads the settings of the apps, and uses the database in
DATABASE_OWNER_URL, as the owner of the tables, or else DATABASE_URL.`;

const OPTIONS = {
  apply: { type: "boolean", default: false },
  record: { type: "string" },
  reason: { type: "string", default: "an earlier version kept a secret" },
  help: { type: "boolean", default: false },
} as const;

const PROGRESS_MS = 2000;

try {
  process.exitCode = await run();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const db = connectDb(ownerDatabaseUrl(readEnv()), 2);
  let reportedAt = Date.now();
  const report = (records: number) => {
    if (Date.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = Date.now();
    console.log(`${records} records read`);
  };
  try {
    const { apply, record, reason } = values;
    const { records, found } = await redactAudit(db, endpoints, { apply, reason, record, report });
    for (const [what, count] of [...found].sort()) console.log(`${what}: ${count}`);
    const sum = [...found.values()].reduce((total, count) => total + count, 0);
    if (sum === 0) console.log(`Nothing to hide in ${records} records.`);
    else if (apply) console.log(`${sum} values are hidden now. npm run audit:verify accepts these records.`);
    else console.log(`${sum} values would be hidden. Nothing was changed; add --apply to hide them.`);
    return sum === 0 || apply ? 0 : 1;
  } finally {
    await db.$disconnect();
  }
}
