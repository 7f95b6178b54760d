#!/usr/bin/env node
// Runs a task on a fresh clone with only Node and npm: finds a Node that is new enough, prepares the clone, starts the
// task.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withNodeFirst } from "./node.mjs";
import { prepare } from "./setup.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const TYPESCRIPT = ["--conditions=gantry-source", "--import", "tsx"];
/** The tasks for those who run Gantry. They need no tools of development. */
const USE = {
  start: ["starts Gantry with everything it needs", ...TYPESCRIPT, "scripts/start.ts"],
  dev: [
    "starts Gantry from its sources and restarts an app when its sources change",
    ...TYPESCRIPT,
    "scripts/start.ts",
    "--watch",
  ],
  demo: ["provisions resources in an emulated AWS, shows them and removes them", ...TYPESCRIPT, "scripts/demo.ts"],
  doctor: ["shows what would fail in a provider's AWS account", ...TYPESCRIPT, "scripts/doctor.ts"],
  "audit:verify": ["lists the audit records that were changed", ...TYPESCRIPT, "scripts/audit-verify.ts"],
  "audit:redact": ["hides what earlier versions kept in the audit", ...TYPESCRIPT, "apps/api/src/redact-audit.ts"],
  "rotate-master-key": [
    "encrypts every secret with the first key of MASTER_KEY",
    ...TYPESCRIPT,
    "apps/api/src/rotate-master-key.ts",
  ],
  "smoke:aws": [
    "provisions one of each resource in AWS with a running Gantry, and removes them",
    ...TYPESCRIPT,
    "scripts/smoke-aws.ts",
  ],
};
const DEVELOPMENT = {
  check: ["runs the static checks and fast tests; run them before each commit", "scripts/run-checks.mjs", "check"],
  verify: ["runs every check, and every test once", "scripts/run-checks.mjs", "verify"],
  campaigns: ["runs the long proofs one after the other", "scripts/run-checks.mjs", "campaigns"],
  test: ["runs every test, or those whose path contains a word", "scripts/run-tests.mjs"],
  lint: ["lints", "node_modules/@biomejs/biome/bin/biome", "lint"],
  format: ["formats", "node_modules/@biomejs/biome/bin/biome", "check", "--write", "--linter-enabled=false"],
  generate: ["installs the packages and generates the database client"],
  migration: ["writes the missing migration", ...TYPESCRIPT, "scripts/migration.ts"],
  new: ["writes a new workflow, endpoint or resource from a template", ...TYPESCRIPT, "scripts/new.ts"],
  openapi: ["writes openapi.json", ...TYPESCRIPT, "apps/api/src/write-openapi.ts"],
  policies: ["writes docs/aws/, the policies for AWS", ...TYPESCRIPT, "scripts/aws-policies.ts"],
  settings: ["writes docs/settings.md and the README's table of settings", ...TYPESCRIPT, "scripts/settings.ts"],
  metrics: ["writes the tables of docs/metrics.md", ...TYPESCRIPT, "scripts/metrics.ts"],
  sbom: ["lists the packages that run in production, with their licenses", "scripts/sbom.mjs"],
  bench: ["measures Gantry against bare baselines", ...TYPESCRIPT, "test/load/bench.ts"],
  soak: ["serves reads and changes for half an hour", ...TYPESCRIPT, "test/load/soak.ts"],
  fuzz: ["fuzzes the API from its document", ...TYPESCRIPT, "test/fuzz/fuzz.ts"],
  chaos: ["kills processes under load", ...TYPESCRIPT, "test/chaos/random-faults/main.ts"],
  "chaos:fairness": [
    "floods one account while another asks for single resources",
    ...TYPESCRIPT,
    "test/chaos/fairness/main.ts",
  ],
  "chaos:points": [
    "kills a worker at every crash point of every workflow",
    ...TYPESCRIPT,
    "test/chaos/crash-points/main.ts",
  ],
  "chaos:deploy": ["deploys fifty times under load", ...TYPESCRIPT, "test/chaos/rolling-deploy/main.ts"],
  "chaos:retention": ["removes a million ended Requests under load", ...TYPESCRIPT, "test/chaos/retention/main.ts"],
  "chaos:waiting": ["has ten thousand Requests wait for RDS", ...TYPESCRIPT, "test/chaos/waiting/main.ts"],
};
const TASKS = { ...USE, ...DEVELOPMENT };

const parent = process.ppid;
const npm = npmAbove(parent);
const [task = "start", ...words] = process.argv.slice(2);
if (!Object.hasOwn(TASKS, task)) {
  const list = Object.entries(TASKS).map(([name, [about]]) => `  ${name.padEnd(15)}${about}`);
  fail(`Unknown task "${task}". The tasks are:\n${list.join("\n")}`);
}

let env = { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: "1" };
// npm passes its own settings down; pnpm warns about those it does not know.
for (const name of Object.keys(env)) {
  if (/^npm_config_/i.test(name) && !/registry|proxy|cafile|cache$|userconfig$/i.test(name)) delete env[name];
}
env.PRISMA_SCHEMA_ENGINE_BINARY = join(root, "packages/schema-engine/bin/schema-engine.mjs");

try {
  const node = await prepare({ root, env, scope: Object.hasOwn(USE, task) ? "production" : "development" });
  if (node !== process.execPath) env = withNodeFirst(node, env);
  const [, ...program] = TASKS[task];
  if (program.length > 0) {
    const command = ["--import", pathToFileURL(join(root, "scripts/end-with-parent.mjs")).href, ...program, ...words];
    const child = spawn(node, command, { cwd: root, env, stdio: "inherit" });
    // A signal to only this process must end the task too.
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
    // npm ends its shell on a signal, and the shell passes nothing on.
    const watch = setInterval(() => {
      if (!npm || (process.ppid === parent && isRunning(npm))) return;
      clearInterval(watch);
      child.kill("SIGTERM");
    }, 1000).unref();
    const [status, signal] = await once(child, "exit");
    if (signal) throw new Error(`${signal} ended the task "${task}".`);
    process.exitCode = status;
  }
} catch (error) {
  fail(error.message);
}

/** Returns the pid of the npm that started this process, by a shell or by itself; undefined without npm. */
function npmAbove(pid) {
  if (!process.env.npm_lifecycle_event) return undefined;
  const { stdout } = spawnSync("ps", ["-o", "ppid=,args=", "-p", String(pid)], { encoding: "utf8" });
  const [, above, command] = /^\s*(\d+) (.*)/.exec(stdout ?? "") ?? [];
  // A shell that replaced itself by its last command left npm as the parent.
  return command?.includes("scripts/run.mjs") ? Number(above) : pid;
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
