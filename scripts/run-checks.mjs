// Runs the checks of a plan, and ends with the last lines of those that failed and the commands that fix them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS, PLANS } from "./checks.mjs";

const LAST_LINES = 40;
const DEFAULT_MINUTES = 40;
/** The time between the polite end of a check that is over its budget and the other one. */
const GRACE_MS = 30_000;
/** Files that tests depend on without an import. */
const BENEATH_ALL_TESTS = /^prisma\/|^pnpm-lock\.yaml$|^jest\.config\.mjs$/;
const SOURCE = /\.[cm]?[jt]s$/;
const root = join(import.meta.dirname, "..");
const [plan, ...words] = process.argv.slice(2);
const names = PLANS[plan].flat(2);
const width = Math.max(...Object.keys(CHECKS).map(({ length }) => length));

const USAGE = `Usage: npm run ${plan} [-- --only CHECK …] [--changed [--base REV]] [--results FILE]

Runs these checks and writes their results and durations to .gantry/${plan}.json:
${names.map((name) => `  ${name.padEnd(width)}  ${CHECKS[name].about}`).join("\n")}

  --only CHECK    runs only this check; can be repeated; one of ${Object.keys(CHECKS).join(", ")}
  --changed       runs only the checks that files changed since the base can affect
  --base REV      the base of --changed (HEAD, or the commit before it if nothing is uncommitted)
  --results FILE  writes the numbers of tests to a file, as JSON`;

const options = readOptions();
const changed = options.changed ? changedFiles(options.base) : undefined;
const skipped = changed
  ? names.filter((name) => CHECKS[name].reads && !changed.some((file) => CHECKS[name].reads.test(file)))
  : [];
const steps = options.only
  ? [[options.only]]
  : PLANS[plan].map((lanes) => lanes.map((lane) => lane.filter((name) => !skipped.includes(name))));
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    for (const child of running) kill(child, signal);
    void Promise.all([...running].map((child) => once(child, "close"))).then(() => process.exit(1));
  });

const outcomes = [];
for (const lanes of steps) {
  const isSingle = lanes.length === 1;
  await Promise.all(lanes.map((lane) => runLane(lane, isSingle)));
}
report();

async function runLane(lane, isSingle) {
  for (const name of lane) {
    const outcome = await runCheck(name, isSingle);
    outcomes.push(outcome);
    keepResult(outcome);
  }
}

/** Shows the output as it comes if no other check runs, or else in one block at the end. */
async function runCheck(name, isSingle) {
  const title = `\n── ${name}\n`;
  if (isSingle) process.stdout.write(title);
  const start = performance.now();
  const { isTest, minutes = DEFAULT_MINUTES, commandForChanged, command: usual } = CHECKS[name];
  const command = (changed && commandForChanged) || usual;
  const args = [...command.slice(1)];
  if (isTest && options.results) args.push("--results", options.results);
  if (isTest && changed && !changed.some((file) => BENEATH_ALL_TESTS.test(file)))
    args.push("--passWithNoTests", "--related", ...changed.filter((file) => SOURCE.test(file)));
  const env = process.stdout.isTTY ? { FORCE_COLOR: "1", ...process.env } : process.env;
  // A separate group, so that ending the check also ends what it started.
  const child = spawn(command[0], args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (isSingle) process.stdout.write(text);
    });
  }
  let isOver = false;
  const budget = setTimeout(() => {
    isOver = true;
    kill(child, "SIGTERM");
    setTimeout(() => kill(child, "SIGKILL"), GRACE_MS).unref();
  }, minutes * 60_000);
  // Processes that a failed check leaves behind would keep its output open.
  child.once("exit", () => kill(child, "SIGTERM"));
  const [code, signal] = await once(child, "close");
  clearTimeout(budget);
  running.delete(child);
  if (!isSingle) process.stdout.write(title + output);
  return {
    name,
    isOk: code === 0 && !isOver,
    end: isOver ? `its budget of ${minutes} minutes exceeded` : (signal ?? `exit code ${code}`),
    output,
    seconds: (performance.now() - start) / 1000,
    minutes,
  };
}

function kill({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function report() {
  const failed = outcomes.filter(({ isOk }) => !isOk);
  for (const { name, output } of failed) {
    console.log(`\n── the last lines of ${name}\n${output.trimEnd().split("\n").slice(-LAST_LINES).join("\n")}`);
  }
  console.log();
  for (const { name, isOk, seconds, minutes } of outcomes) {
    const budget = plan === "campaigns" ? ` of ${String(minutes * 60).padStart(4)} s` : "";
    console.log(`${isOk ? "ok    " : "FAILED"}  ${name.padEnd(width)} ${seconds.toFixed(1).padStart(6)} s${budget}`);
  }
  if (skipped.length > 0) console.log(`unchanged: ${skipped.join(", ")}`);
  for (const { name, end } of failed) {
    const { fix } = CHECKS[name];
    console.error(`\nThe check "${name}" failed with ${end}.${fix ? ` Fix it with: ${fix}` : ""}`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}

/** The file always holds the last result of each check, also if the run is interrupted before its end. */
function keepResult({ name, isOk, end, seconds, minutes }) {
  const file = join(root, `.gantry/${plan}.json`);
  const commit = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout?.trim() || null;
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const at = new Date().toISOString();
  const result = { ok: isOk, end, seconds: Math.round(seconds), budget_seconds: minutes * 60, at, commit };
  mkdirSync(join(root, ".gantry"), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...before, [name]: result }, null, 2)}\n`);
}

/** The paths of the files that differ from `base`, relative to the root, also those that git does not track yet. */
function changedFiles(base) {
  const git = (...args) => {
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    if (status !== 0) quit(stderr.trim() || "--changed requires git and a clone.");
    return stdout.split("\n").filter(Boolean);
  };
  const untracked = git("ls-files", "--others", "--exclude-standard");
  const differing = (rev) => [...git("diff", "--name-only", "--diff-filter=d", rev), ...untracked];
  if (base) return differing(base);
  const uncommitted = differing("HEAD");
  return uncommitted.length > 0 ? uncommitted : differing("HEAD~1");
}

function readOptions() {
  if (words.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  try {
    const known = {
      only: { type: "string", multiple: true },
      changed: { type: "boolean" },
      base: { type: "string" },
      results: { type: "string" },
    };
    const { values } = parseArgs({ args: words, options: known });
    const unknown = values.only?.find((name) => !Object.hasOwn(CHECKS, name));
    if (unknown) throw new Error(`Unknown check "${unknown}".`);
    if (values.base && !values.changed) throw new Error("--base requires --changed.");
    return values;
  } catch (error) {
    quit(`${error.message}\n\n${USAGE}`);
  }
}

function quit(message) {
  console.error(message);
  process.exit(2);
}
