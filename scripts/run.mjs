#!/usr/bin/env node
// Runs a task on a fresh clone with Node alone: installs what the lockfile names, generates the database client, starts the task.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const TYPESCRIPT = ["--conditions=source", "--import", "tsx"];
const TASKS = {
  start: [...TYPESCRIPT, "scripts/start.ts"],
  demo: [...TYPESCRIPT, "scripts/demo.ts"],
  bench: [...TYPESCRIPT, "test/load/bench.ts"],
  fuzz: [...TYPESCRIPT, "test/fuzz/fuzz.ts"],
  chaos: [...TYPESCRIPT, "test/chaos/random-faults/main.ts"],
  "chaos:fairness": [...TYPESCRIPT, "test/chaos/fairness/main.ts"],
  "chaos:points": [...TYPESCRIPT, "test/chaos/crash-points/main.ts"],
  "chaos:deploy": [...TYPESCRIPT, "test/chaos/rolling-deploy/main.ts"],
  "chaos:waiting": [...TYPESCRIPT, "test/chaos/waiting/main.ts"],
  test: [...TYPESCRIPT, "--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"],
  verify: ["scripts/verify.mjs"],
  generate: [],
  openapi: [...TYPESCRIPT, "apps/api/src/write-openapi.ts"],
};

const [task = "start", ...words] = process.argv.slice(2);
if (!Object.hasOwn(TASKS, task)) fail(`There is no task "${task}". The tasks are: ${Object.keys(TASKS).join(", ")}.`);
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) fail(`Gantry needs Node 20.19 or newer; this is ${process.version}.`);

const env = { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: "1" };
// npm passes its own settings down; pnpm warns about those it does not know.
for (const name of Object.keys(env)) {
  if (/^npm_config_/i.test(name) && !/registry|proxy|cafile|cache$/i.test(name)) delete env[name];
}
env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
env.PRISMA_SCHEMA_ENGINE_BINARY = join(root, "packages/schema-engine/bin/schema-engine.mjs");

const sources = ["prisma", "prisma/models"]
  .flatMap((folder) => filesIn(folder))
  .filter((name) => name.endsWith(".prisma"));
step("install", ["pnpm-lock.yaml", "package.json"], installPackages);
step("generate", sources, generateClient);
if (TASKS[task].length > 0) process.exit(node([...TASKS[task], ...words]));

function installPackages() {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const found = spawnSync("pnpm", ["--version"], { cwd: root, env, encoding: "utf8", timeout: 10_000 });
  const matches = `pnpm@${found.stdout?.trim()}` === packageManager;
  const [command, ...before] = matches ? ["pnpm"] : ["npx", "--yes", "--loglevel=error", packageManager];
  return run(command, [...before, "install", "--frozen-lockfile", "--config.confirmModulesPurge=false"]);
}

function generateClient() {
  const prisma = createRequire(join(root, "package.json")).resolve("prisma/build/index.js");
  const done = spawnSync(process.execPath, [prisma, "generate"], { cwd: root, env, encoding: "utf8" });
  if (done.status !== 0) process.stderr.write(`${done.stdout}${done.stderr}`);
  return done.status ?? 1;
}

/** Runs `act` unless it succeeded before with the same contents of `files` and the same Node. */
function step(name, files, act) {
  const hash = createHash("sha256").update(process.version.split(".")[0]);
  for (const file of files) hash.update(readFileSync(join(root, file)));
  const inputs = hash.digest("hex");
  const stamp = join(root, "node_modules", `.gantry-${name}`);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === inputs) return;
  const code = act();
  if (code) fail(`The step "${name}" failed with exit code ${code}; its output is above.`);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, inputs);
}

function filesIn(folder) {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

function node(args) {
  return run(process.execPath, args);
}

function run(command, args) {
  return (
    spawnSync(command, args, { cwd: root, env, stdio: "inherit", shell: process.platform === "win32" }).status ?? 1
  );
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
