// Runs the checks of a plan, and ends with the last lines of those that failed and the commands that mend them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CHECKS, PLANS } from "./checks.mjs";

const LAST_LINES = 40;
const root = join(import.meta.dirname, "..");
const [plan, ...words] = process.argv.slice(2);

const USAGE = `Usage: npm run ${plan} [-- --only CHECK …] [--results FILE]

Runs ${PLANS[plan].flat(2).join(", ")}.

  --only CHECK    this check alone; may be given several times, for every check: ${Object.keys(CHECKS).join(", ")}
  --results FILE  writes what Jest says of the tests into a file, as JSON`;

const { only, results } = readOptions();
const steps = only ? [[only]] : PLANS[plan];
const outcomes = [];
for (const lanes of steps) {
  const isAlone = lanes.length === 1;
  await Promise.all(lanes.map((names) => runLane(names, isAlone)));
}
report();

async function runLane(names, isAlone) {
  for (const name of names) outcomes.push(await runCheck(name, isAlone));
}

/** Shows the output while it comes where no other check runs, or else in one block at the end. */
async function runCheck(name, isAlone) {
  const title = `\n── ${name}\n`;
  if (isAlone) process.stdout.write(title);
  const start = performance.now();
  const [command, ...args] = CHECKS[name].command;
  if (results && CHECKS[name].isJest) args.push("--json", `--outputFile=${results}`);
  const env = process.stdout.isTTY ? { FORCE_COLOR: "1", ...process.env } : process.env;
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (isAlone) process.stdout.write(text);
    });
  }
  const [code, signal] = await once(child, "close");
  if (!isAlone) process.stdout.write(title + output);
  return {
    name,
    isOk: code === 0,
    end: signal ?? `exit code ${code}`,
    output,
    seconds: (performance.now() - start) / 1000,
  };
}

function report() {
  const failed = outcomes.filter(({ isOk }) => !isOk);
  for (const { name, output } of failed) {
    console.log(`\n── the last lines of ${name}\n${output.trimEnd().split("\n").slice(-LAST_LINES).join("\n")}`);
  }
  console.log();
  for (const { name, isOk, seconds } of outcomes) {
    console.log(`${isOk ? "ok    " : "FAILED"}  ${name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s`);
  }
  for (const { name, end } of failed) {
    const { mend } = CHECKS[name];
    console.error(`\nThe check "${name}" failed with ${end}.${mend ? ` Mend it with: ${mend}` : ""}`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}

function readOptions() {
  if (words.includes("--help")) {
    console.log(USAGE);
    process.exit(0);
  }
  try {
    const options = { only: { type: "string", multiple: true }, results: { type: "string" } };
    const { values } = parseArgs({ args: words, options });
    const unknown = values.only?.find((name) => !Object.hasOwn(CHECKS, name));
    if (unknown) throw new Error(`There is no check "${unknown}".`);
    return values;
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
