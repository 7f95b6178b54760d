// Runs Jest, then a second time each test file that failed, by itself: red twice is red, green the second time is flaky.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";

const root = join(import.meta.dirname, "..");
const JEST = ["--conditions=gantry-source", "--import", "tsx", "node_modules/jest/bin/jest.js"];
/** More failed files than this are not an accident: they are not run again. */
const MOST_SECOND_LOOKS = 10;
const FLAKY_FILE = join(root, ".gantry/flaky.json");

const USAGE = `Usage: npm test [-- PATH …] [--strict] [--every-case] [--campaigns] [--results FILE] [options of Jest]

Runs every test, or those whose path contains PATH. A test file that fails runs once more on its own at the end. If it
passes then, the run passes too, but it prints FLAKY, and .gantry/flaky.json keeps the first failure.

  --strict        fails if a test is flaky
  --every-case    runs every case of the tests that otherwise run a sample of their cases, which differs for each commit
  --campaigns     runs *.campaign.ts instead of *.test.ts
  --related       treats each PATH as a whole file, and runs the tests that import it
  --results FILE  writes the numbers of passed, failed and flaky tests to a file, as JSON

The same seed gives the same sample; the seed is the commit unless GANTRY_TEST_SEED is set.`;

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const isStrict = takeFlag("--strict");
if (takeFlag("--every-case")) process.env.GANTRY_TEST_CASES = "all";
if (takeFlag("--campaigns")) process.env.GANTRY_TEST_FILES = "campaign";
const names = takeValue("-t") ?? takeValue("--testNamePattern");
const choice = names === undefined ? [] : ["--testNamePattern", names];
const related = takeFlag("--related") ? ["--findRelatedTests"] : [];
const resultsFile = takeValue("--results");

const folder = mkdtempSync(join(tmpdir(), "gantry-test-results-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const first = await runJest("first", [...related, ...words, ...choice]);
if (!first.results) process.exit(first.code);
const failedFiles = first.results.testResults.filter(({ status }) => status === "failed");
const flaky = [];
let failed = failedFiles.map(({ name }) => name);
if (failed.length > 0 && failed.length <= MOST_SECOND_LOOKS) {
  console.log(
    `\nRunning the failed files again, one at a time: ${failed.map((name) => relative(root, name)).join(", ")}`,
  );
  // Above this number of bytes a process runs no second file.
  const isolated = ["--maxWorkers=1", "--workerIdleMemoryLimit=2"];
  const second = await runJest("second", [...isolated, ...choice, "--runTestsByPath", ...failed]);
  // A file that the second run does not report counts as failed.
  const passed = new Set((second.results?.testResults ?? []).filter(hasPassed).map(({ name }) => name));
  flaky.push(...failedFiles.filter(({ name }) => passed.has(name)).flatMap(failuresOf));
  failed = failed.filter((path) => !passed.has(path));
}
const failures = failedFiles.filter(({ name }) => failed.includes(name)).flatMap(failuresOf);
if (flaky.length > 0) reportFlaky();
if (resultsFile) {
  const counts = { passed: first.results.numPassedTests, failed: failures.length, flaky };
  writeFileSync(resultsFile, JSON.stringify(counts));
}
const isRed = failures.length > 0 || (isStrict && flaky.length > 0);
// Jest also fails if it finds no test, for example.
process.exitCode = isRed || failedFiles.length > 0 ? Number(isRed) : first.code;

/** Runs Jest with the terminal of this process. Its results are undefined if it was asked for something else than a run. */
async function runJest(name, args) {
  const output = join(folder, `${name}.json`);
  const child = spawn(process.execPath, [...process.execArgv, ...JEST, ...args, "--json", `--outputFile=${output}`], {
    cwd: root,
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, "exit");
  if (signal) process.exit(1);
  return { code, results: existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : undefined };
}

function hasPassed({ status, assertionResults }) {
  return status !== "failed" && assertionResults.some((each) => each.status === "passed");
}

/** The failed tests of a file; if it failed outside of them, the failure of the file itself. */
function failuresOf({ name, message, assertionResults }) {
  const file = relative(root, name);
  const tests = assertionResults.filter(({ status }) => status === "failed");
  if (tests.length === 0) return [{ file, title: "the file itself", failure: stripVTControlCharacters(message) }];
  return tests.map(({ fullName, failureMessages }) => ({
    file,
    title: fullName,
    failure: stripVTControlCharacters(failureMessages.join("\n")),
  }));
}

function reportFlaky() {
  const at = new Date().toISOString();
  const kept = existsSync(FLAKY_FILE) ? JSON.parse(readFileSync(FLAKY_FILE, "utf8")) : [];
  mkdirSync(join(root, ".gantry"), { recursive: true });
  writeFileSync(FLAKY_FILE, `${JSON.stringify([...kept, ...flaky.map((each) => ({ at, ...each }))], null, 2)}\n`);
  for (const { file, title, failure } of flaky)
    console.log(`\n${styleText("yellow", "FLAKY")} ${file}\n  ${title}\n${failure.trimEnd().replace(/^/gm, "    ")}`);
  console.log(
    `\n${flaky.length} flaky: failed first, then passed on their own. .gantry/flaky.json keeps the first failures.`,
  );
}

function takeFlag(flag) {
  const index = words.indexOf(flag);
  if (index >= 0) words.splice(index, 1);
  return index >= 0;
}

function takeValue(option) {
  const index = words.indexOf(option);
  return index >= 0 ? words.splice(index, 2)[1] : undefined;
}
