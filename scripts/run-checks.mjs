// Runs the checks of a plan, two at a time; ends with the last lines of those that failed and what fixes them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { PLANS } from "./checks.mjs";

const LANES = 2;
const LAST_LINES = 40;
const DEFAULT_MINUTES = 40;
const root = join(import.meta.dirname, "..");
const env = {
  ...(process.stdout.isTTY && { FORCE_COLOR: "1" }),
  ...process.env,
  PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
};
const [plan, ...words] = process.argv.slice(2);
const checks = Object.assign({}, ...PLANS[plan]);

const running = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    for (const child of running) kill(child, signal);
    void Promise.all([...running].map((child) => once(child, "close"))).then(() => process.exit(1));
  });

const only = requestedChecks();
const outcomes = [];
for (const step of only ? only.map((name) => ({ [name]: checks[name] })) : PLANS[plan]) {
  const queue = Object.keys(step);
  const isSingle = queue.length === 1;
  const runLane = async () => {
    for (let name = queue.shift(); name; name = queue.shift()) outcomes.push(await runCheck(name, isSingle));
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
}
report();

function requestedChecks() {
  try {
    const { only } = parseArgs({ args: words, options: { only: { type: "string", multiple: true } } }).values;
    const unknown = only?.find((name) => !Object.hasOwn(checks, name));
    if (unknown) throw new Error(`Unknown check "${unknown}".`);
    return only;
  } catch (error) {
    console.error(`${error.message}\nUsage: npm run ${plan} [-- --only CHECK …]\n`);
    for (const name of Object.keys(checks)) console.error(`  ${name}`);
    process.exit(2);
  }
}

/** Shows the output as it comes if no other check runs, and otherwise in one block at the end. */
async function runCheck(name, isSingle) {
  const title = `\n── ${name}\n`;
  if (isSingle) process.stdout.write(title);
  const start = performance.now();
  const { command, minutes = DEFAULT_MINUTES } = checks[name];
  // A separate group, so that ending the check also ends what it started.
  const options = { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"], detached: true };
  const child = spawn(command, { ...options, timeout: minutes * 60_000, killSignal: "SIGKILL" });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (isSingle) process.stdout.write(text);
    });
  }
  // Processes that a failed check leaves behind would keep its output open.
  child.once("exit", () => kill(child, "SIGTERM"));
  const [code, signal] = await once(child, "close");
  running.delete(child);
  if (!isSingle) process.stdout.write(title + output);
  const end = child.killed ? `more than ${minutes} minutes` : (signal ?? `exit code ${code}`);
  const outcome = {
    name,
    isOk: end === "exit code 0",
    end,
    output,
    seconds: (performance.now() - start) / 1000,
    minutes,
  };
  if (plan === "campaigns") keepFigures(outcome);
  return outcome;
}

function kill({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** The file holds the last outcome of every campaign, also if a run is interrupted. */
function keepFigures({ name, isOk, end, seconds, minutes }) {
  const file = join(root, ".gantry/campaigns.json");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const head = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const commit = head.status === 0 ? head.stdout.trim() : null;
  const at = new Date().toISOString();
  const figures = { ok: isOk, end, seconds: Math.round(seconds), budget_seconds: minutes * 60, at, commit };
  mkdirSync(join(root, ".gantry"), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...before, [name]: figures }, null, 2)}\n`);
}

function report() {
  const failed = outcomes.filter(({ isOk }) => !isOk);
  for (const { name, output } of failed)
    console.log(`\n── the last lines of ${name}\n${output.trimEnd().split("\n").slice(-LAST_LINES).join("\n")}`);
  console.log();
  for (const { name, isOk, seconds } of outcomes)
    console.log(`${isOk ? "ok    " : "FAILED"}  ${name.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s`);
  for (const { name, end } of failed) {
    const { fix } = checks[name];
    console.error(`\nThe check "${name}" failed with ${end}.${fix ? ` Fix it with: ${fix}` : ""}`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}
