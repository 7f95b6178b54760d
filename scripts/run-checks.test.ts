import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "@jest/globals";

const CHECKS = `
  const say = (words, code = 0) => [process.execPath, "-e", "console.log(" + JSON.stringify(words) + "); process.exit(" + code + ")"];
  // Each waits for the file of the other, so that neither ends where one runs after the other.
  const meet = (own, other) => [process.execPath, "-e", \`
    const { existsSync, writeFileSync } = require("node:fs");
    console.log("\${own} begins");
    writeFileSync("\${own}", "");
    const wait = () => existsSync("\${other}") ? console.log("\${own} ends") : setTimeout(wait, 10);
    wait();\`];
  export const CHECKS = {
    first: { command: say("first here") },
    left: { command: meet("left", "right") },
    right: { command: meet("right", "left") },
    bad: { command: say("all wrong", 3), mend: "npm run better" },
    late: { command: say("late here") },
    jest: { isJest: true, command: [process.execPath, "-e", "require('fs').writeFileSync('words', process.argv.slice(1).join(' '))", "--"] },
  };
  export const PLANS = {
    good: [[["first"]], [["left"], ["right"]]],
    whole: [[["first"]], [["bad"]], [["late"]]],
  };
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-checks-"));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(fileURLToPath(new URL("run-checks.mjs", import.meta.url)), join(folder, "scripts/run-checks.mjs"));
  writeFileSync(join(folder, "scripts/checks.mjs"), CHECKS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runChecks(...words: string[]) {
  return spawnSync(process.execPath, ["scripts/run-checks.mjs", ...words], { cwd: folder, encoding: "utf8" });
}

it("runs the lanes of a step at the same time, and shows the output of each in one block", () => {
  const { status, stdout } = runChecks("good");
  expect(status).toBe(0);
  expect(stdout).toContain("── left\nleft begins\nleft ends\n");
  expect(stdout).toContain("── right\nright begins\nright ends\n");
  expect(stdout.match(/^ok {6}(\w+)/gm)?.sort()).toEqual(["ok      first", "ok      left", "ok      right"]);
});

it("goes on after a check that fails, and then fails with the command that mends it", () => {
  const { status, stdout, stderr } = runChecks("whole");
  expect(status).toBe(1);
  expect(stdout).toContain("── the last lines of bad\nall wrong\n");
  expect(stdout).toMatch(/^FAILED {2}bad .*\nok {6}late/m);
  expect(stderr).toBe('\nThe check "bad" failed with exit code 3. Mend it with: npm run better\n');
});

it("runs only the checks that are asked for", () => {
  const { status, stdout } = runChecks("whole", "--only", "late", "--only", "first");
  expect(status).toBe(0);
  expect(stdout.match(/^ok {6}(\w+)/gm)).toEqual(["ok      late", "ok      first"]);
});

it("has Jest write its results into a file", () => {
  expect(runChecks("whole", "--only", "jest", "--results", "some.json").status).toBe(0);
  expect(readFileSync(join(folder, "words"), "utf8")).toBe("--json --outputFile=some.json");
});

it("names the checks where it is asked for one that there is not", () => {
  const { status, stderr } = runChecks("whole", "--only", "frist");
  expect(status).toBe(2);
  expect(stderr).toContain('There is no check "frist".');
  expect(stderr).toContain("first, left, right, bad, late, jest");
});

it("leaves no check out of verify, and nothing but the fast tests in their place", () => {
  const script = fileURLToPath(new URL("run-checks.mjs", import.meta.url));
  const { stdout } = spawnSync(process.execPath, [script, "verify", "--help"], { encoding: "utf8" });
  const listed = (pattern: RegExp) => stdout.match(pattern)?.[1]?.split(", ").sort();
  expect(listed(/^Runs (.*)\.$/m)).toEqual(listed(/every check: (.*)$/m)?.filter((name) => name !== "fast tests"));
});
