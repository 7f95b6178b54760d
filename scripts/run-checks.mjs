// Checks what a change must not break. Runs every check, and ends with the last words of those that failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules/.bin", name);

const CHECKS = {
  lint: () => run(bin("biome"), ["ci"]),
  types: () => run(bin("tsc"), ["-p", "."]),
  build: () => run(bin("tsc"), ["-b", "--force", "tsconfig.build.json"]),
  migrations: checkMigrations,
  openapi: () => node("--conditions=source", "--import", "tsx", "apps/api/src/write-openapi.ts", "--check"),
  fuzz: () => node("scripts/run.mjs", "fuzz", "--short"),
  points: () => node("scripts/run.mjs", "chaos:points", "--sample", "40"),
  chaos: () => node("scripts/run.mjs", "chaos", "--kills", "40"),
  tests: () => node("scripts/run.mjs", "test"),
};

const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const names = values.only ?? Object.keys(CHECKS);
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  console.error(`There is no check "${unknown[0]}". The checks are: ${Object.keys(CHECKS).join(", ")}.`);
  process.exit(2);
}

const LAST_LINES = 40;
let said = "";

const results = [];
for (const name of names) {
  console.log(`\n── ${name}`);
  said = "";
  const start = performance.now();
  const isOk = await CHECKS[name]().catch((error) => console.error(error.message));
  results.push({ name, isOk, said, seconds: (performance.now() - start) / 1000 });
}

const failed = results.filter(({ isOk }) => !isOk);
for (const { name, said } of failed) {
  console.log(`\n── the last words of ${name}\n${said.trimEnd().split("\n").slice(-LAST_LINES).join("\n")}`);
}
console.log();
for (const { name, isOk, seconds } of results) {
  console.log(`${isOk ? "ok    " : "FAILED"}  ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s`);
}
if (failed.length > 0) console.error(`\nFailed: ${failed.map(({ name }) => name).join(", ")}.`);
process.exit(failed.length > 0 ? 1 : 0);

/**
 * Asks whether the version before each migration can go on while it runs and after it; then replays the migrations into a
 * shadow database and compares it with the models.
 */
async function checkMigrations() {
  const isSafe = await run(bin("squawk"), ["prisma/migrations/*/migration.sql"]);
  return (await matchesModels()) && isSafe;
}

async function matchesModels() {
  const words = ["migrate", "diff", "--from-migrations", "prisma/migrations", "--to-schema", "prisma", "--exit-code"];
  const diff = (url) => run(bin("prisma"), words, { DATABASE_URL: url });
  if (process.env.DATABASE_URL) return diff(process.env.DATABASE_URL);
  const { startPostgres } = await tsImport("../packages/local-stack/src/index.ts", import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), "gantry-verify-"));
  const postgres = await startPostgres({ folder, environment: process.env, fsync: false });
  try {
    return await diff(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function node(...args) {
  return run(process.execPath, args);
}

async function run(command, args, variables = {}) {
  const env = { ...process.env, ...variables };
  const shell = process.platform === "win32";
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ["inherit", "pipe", "pipe"] });
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.setEncoding("utf8").on("data", (text) => {
      to.write(text);
      said += text;
    });
  }
  const [status] = await once(child, "close");
  return status === 0;
}
