import { parseArgs } from "node:util";
import { connectDb, type Db, loadInstallationKeys, Vault } from "@gantry/db";
import { readEnv } from "@gantry/runtime";
import { countByKey, rotateSecrets } from "./master-key/encrypted-secrets.js";

const HELP = `Usage: npm run rotate-master-key [-- --dry-run]

Encrypts every secret in the database again with the first key of MASTER_KEY, while the apps run. You can interrupt it,
repeat it and run it twice at the same time. Exits with 1 if the first key does not decrypt every secret, and with 2 if it failed.

  --dry-run  shows how many secrets each key encrypts, and changes nothing

Uses the database in DATABASE_URL. Start the apps with the same MASTER_KEY first.`;

const PROGRESS_MS = 2000;

try {
  process.exitCode = await run();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, help: { type: "boolean" } } });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const env = readEnv();
  const vault = new Vault(env.MASTER_KEY);
  const db = connectDb(env.DATABASE_URL, 2);
  try {
    if (values["dry-run"]) return await report(db, vault, env.MASTER_KEY.length);
    await loadInstallationKeys(db, env.MASTER_KEY);
    let reportedAt = Date.now();
    const written = await rotateSecrets(db, vault, (seen, soFar) => {
      if (Date.now() - reportedAt < PROGRESS_MS) return;
      reportedAt = Date.now();
      console.log(`${seen} secrets read, ${soFar} rewritten`);
    });
    console.log(`${written} secrets rewritten with key 1.`);
    return await report(db, vault, env.MASTER_KEY.length);
  } finally {
    await db.$disconnect();
  }
}

async function report(db: Db, vault: Vault, keys: number): Promise<number> {
  const counts = await countByKey(db, vault);
  for (let position = 0; position < keys; position++)
    console.log(`${counts.get(position) ?? 0} secrets are encrypted with key ${position + 1} of MASTER_KEY.`);
  const undecryptable = counts.get(undefined) ?? 0;
  if (undecryptable > 0) console.log(`${undecryptable} secrets are encrypted with a key that is not in MASTER_KEY.`);
  const remaining = [...counts].reduce((sum, [position, count]) => (position === 0 ? sum : sum + count), 0);
  if (remaining === 0 && keys > 1) console.log("You can remove every key except the first from MASTER_KEY.");
  return remaining === 0 ? 0 : 1;
}
