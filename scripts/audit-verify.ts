import { readFileSync } from "node:fs";
import { type ChainHead, connectDb, type Db, findTampering, INSTALLATION_CHAIN, linkAuditRecords } from "@gantry/db";
import colors from "picocolors";
import { runCommand, type Values } from "./command.js";
import { connectDatabase } from "./gantry-connection.js";

const HELP = `Usage: npm run audit:verify [-- --account ID] [--heads FILE]

Recomputes every hash of the audit and lists each record that was changed, removed or inserted. Changes nothing.
Exits with 1 if it finds any, and with 2 if the check itself failed.

  --account ID  checks only one account's chain, instead of every account's and the installation's
  --heads FILE  also compares the chain ends that workers appended to FILE (AUDIT_HEADS_FILE), which reveals a chain
                that was shortened or rewritten

Uses the database in DATABASE_URL, or else the one of a running npm start.`;

/** A head as workers write it. */
interface HeadLine {
  time: string;
  chain: string;
  position: number;
  hash: string;
}

const OPTIONS = { account: { type: "string" }, heads: { type: "string" } } as const;

await runCommand(HELP, OPTIONS, run);

async function run(values: Values<typeof OPTIONS>): Promise<number> {
  const heads = values.heads === undefined ? new Map<string, ChainHead[]>() : readHeads(values.heads);
  const db = connectDb(connectDatabase(), 2);
  try {
    await linkAuditRecords(db);
    const chains = values.account ? [values.account] : await chainsOf(db, heads);
    let found = 0;
    for (const chain of chains) found += await verify(db, chain, heads.get(chain));
    console.log(found === 0 ? colors.green("The audit is unchanged.") : colors.red(`${found} found.`));
    return found === 0 ? 0 : 1;
  } finally {
    await db.$disconnect();
  }
}

async function verify(db: Db, chain: string, heads: ChainHead[] = []): Promise<number> {
  const name = chain === INSTALLATION_CHAIN ? "the installation" : `account ${chain}`;
  let count = 0;
  for await (const { position, id, found } of findTampering(db, chain, heads)) {
    count++;
    console.log(`${colors.red(found)}: record ${position} of ${name}${id === undefined ? "" : `, ${id}`}`);
  }
  const records = await db.auditRecord.count({ where: { chain } });
  console.log(`${name}: ${records} records, ${heads.length} earlier ends compared`);
  return count;
}

async function chainsOf(db: Db, heads: ReadonlyMap<string, unknown>): Promise<string[]> {
  const rows = await db.$queryRaw<{ chain: string }[]>`SELECT DISTINCT chain FROM audit_records`;
  return [...new Set([...rows.map(({ chain }) => chain), ...heads.keys()])].sort();
}

function readHeads(file: string): Map<string, ChainHead[]> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const heads = lines.map((line, i) => headIn(line, `${file}, line ${i + 1}`));
  return Map.groupBy(heads, ({ chain }) => chain);
}

function headIn(line: string, place: string): ChainHead {
  try {
    const { chain, position, hash } = JSON.parse(line) as HeadLine;
    return { chain, position: BigInt(position), hash: Buffer.from(hash, "hex") };
  } catch {
    throw new Error(`${place} is not the end of a chain.`);
  }
}
