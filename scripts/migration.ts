import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyMigrations, connectDb } from "@gantry/db";
import { startPostgres } from "@gantry/local-stack";
import { areEventTriggersCurrent, EVENT_TRIGGERS, writeEventTriggers } from "./event-triggers.js";
import { addHashes, hashProblems } from "./migration-hashes.js";

const USAGE = `Usage: npm run migration -- NAME | --triggers | --hash | --check

Writes the missing migration from the existing migrations to the models in prisma/, with the name NAME,
and its hash in prisma/migration-hashes.json. Read it before you commit it (docs/deploying.md).

Also writes the triggers for the events of resources, from the facts in packages/resources.

--triggers  writes only these triggers.
--hash   adds the hash of each migration that has none. Delete the line of a migration that you edited before it landed.
--check  fails if a migration is missing, if one was changed or removed since it landed, if the previous version cannot run
         during and after one, if the triggers are not current, or if the migrations or prisma/functions cannot be applied.`;

const root = join(import.meta.dirname, "..");
const MIGRATIONS = "prisma/migrations";

const [word = "--help"] = process.argv.slice(2);
if (word === "--check") process.exitCode = (await check()) ? 0 : 1;
else if (word === "--hash") showAdded();
else if (word === "--triggers") showTriggers();
else if (/^[a-z][a-z0-9_]*$/.test(word)) await write(word);
else {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
}

async function check(): Promise<boolean> {
  const squawk = run("squawk", [`${MIGRATIONS}/*/migration.sql`]);
  const { difference, unapplied } = await onPostgres(async (url) => ({
    difference: differenceOn(url, "--exit-code"),
    unapplied: await applicationProblems(url),
  }));
  for (const { stdout, stderr } of [squawk, difference]) process.stdout.write(`${stdout}${stderr}`);
  const problems = [...hashProblems(root), ...triggerProblems(), ...unapplied];
  for (const problem of problems) console.log(problem);
  return squawk.status === 0 && difference.status === 0 && problems.length === 0;
}

async function write(name: string): Promise<void> {
  showTriggers();
  const { status, stdout, stderr } = await onPostgres(async (url) => differenceOn(url, "--script", "--exit-code"));
  if (status === 0) return console.log("No migration is missing.");
  if (status !== 2) throw new Error(stderr);
  const newest =
    readdirSync(join(root, MIGRATIONS))
      .filter((each) => /^\d/.test(each))
      .sort()
      .at(-1) ?? "0";
  const now = Number(new Date().toISOString().replace(/\D/g, "").slice(0, 14));
  // Migrations are applied in the order of their names: a clock that is behind must not put this one before the others.
  const time = Math.max(now, Number.parseInt(newest, 10) + 1);
  const folder = join(MIGRATIONS, `${time}_${name}`);
  mkdirSync(join(root, folder));
  writeFileSync(join(root, folder, "migration.sql"), stdout);
  console.log(`${folder}/migration.sql`);
  showAdded();
}

function showAdded(): void {
  for (const name of addHashes(root)) console.log(`prisma/migration-hashes.json: ${name}`);
}

function showTriggers(): void {
  if (writeEventTriggers(root)) console.log(EVENT_TRIGGERS);
}

function triggerProblems(): string[] {
  return areEventTriggersCurrent(root)
    ? []
    : [`${EVENT_TRIGGERS} differs from the facts in packages/resources; run \`npm run migration -- --triggers\``];
}

/** Replays the migrations into a shadow database and compares it with the models; exit code 2 stands for a difference. */
function differenceOn(url: string, ...options: string[]) {
  const words = ["migrate", "diff", "--from-migrations", MIGRATIONS, "--to-schema", "prisma", ...options];
  return run("prisma", words, { DATABASE_URL: url });
}

/** Applies the migrations and then the functions, as a deploy does, in a separate database. */
async function applicationProblems(url: string): Promise<string[]> {
  const name = `gantry_migration_${randomUUID()}`;
  const at = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const server = connectDb(at("postgres"), 1);
  try {
    await applyMigrations(at(name), join(root, MIGRATIONS));
    return [];
  } catch (error) {
    return [`${MIGRATIONS} and then prisma/functions cannot be applied: ${(error as Error).message}`];
  } finally {
    await server.$executeRawUnsafe(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await server.$disconnect();
  }
}

/** Runs `act` with the address of a PostgreSQL server: that of `DATABASE_URL`, or one that ends with the call. */
async function onPostgres<T>(act: (url: string) => Promise<T>): Promise<T> {
  if (process.env.DATABASE_URL) return act(process.env.DATABASE_URL);
  const folder = mkdtempSync(join(tmpdir(), "gantry-migration-"));
  const postgres = await startPostgres({ folder, environment: process.env, fsync: false });
  try {
    return await act(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, words: string[], variables: Record<string, string> = {}) {
  const env = { ...process.env, ...variables };
  return spawnSync(join(root, "node_modules/.bin", program), words, { cwd: root, env, encoding: "utf8" });
}
