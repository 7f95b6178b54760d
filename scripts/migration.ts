import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@gantry/local-stack";

const USAGE = `Usage: npm run migration -- NAME | --check

Writes the migration that is missing between the migrations so far and the models in prisma/, with the name that is given. A
person reads it before it is committed (docs/deploying.md). With --check it is only told whether one is missing, and whether
the version before each migration can go on while it runs and after it.`;

const root = join(import.meta.dirname, "..");
const MIGRATIONS = "prisma/migrations";

const [word = "--help"] = process.argv.slice(2);
if (word === "--check") process.exitCode = (await check()) ? 0 : 1;
else if (/^[a-z][a-z0-9_]*$/.test(word)) await write(word);
else {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
}

async function check(): Promise<boolean> {
  const results = [run("squawk", [`${MIGRATIONS}/*/migration.sql`]), await difference("--exit-code")];
  for (const { stdout, stderr } of results) process.stdout.write(`${stdout}${stderr}`);
  return results.every(({ status }) => status === 0);
}

async function write(name: string): Promise<void> {
  const { status, stdout, stderr } = await difference("--script", "--exit-code");
  if (status === 0) return console.log("No migration is missing.");
  if (status !== 2) throw new Error(stderr);
  const time = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const folder = join(MIGRATIONS, `${time}_${name}`);
  mkdirSync(join(root, folder));
  writeFileSync(join(root, folder, "migration.sql"), stdout);
  console.log(`${folder}/migration.sql`);
}

/** Replays the migrations into a shadow database and compares it with the models; exit code 2 stands for a difference. */
async function difference(...options: string[]) {
  const words = ["migrate", "diff", "--from-migrations", MIGRATIONS, "--to-schema", "prisma", ...options];
  if (process.env.DATABASE_URL) return run("prisma", words);
  const folder = mkdtempSync(join(tmpdir(), "gantry-migration-"));
  const postgres = await startPostgres({ folder, environment: process.env, fsync: false });
  try {
    return run("prisma", words, { DATABASE_URL: postgres.url });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, words: string[], variables: Record<string, string> = {}) {
  const env = { ...process.env, ...variables };
  return spawnSync(join(root, "node_modules/.bin", program), words, { cwd: root, env, encoding: "utf8" });
}
