import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
    first: { about: "something", command: say("first here") },
    left: { command: meet("left", "right") },
    right: { command: meet("right", "left") },
    bad: { command: say("all wrong", 3), fix: "npm run better" },
    late: { command: say("late here") },
    docs: { command: say("docs here"), reads: /\\.md$/ },
    endless: { command: [process.execPath, "-e", "setInterval(() => {}, 1000)"], minutes: 0.005 },
    leaving: { command: ["sh", "-c", "sleep 600 & exit 4"] },
    tests: { isTest: true, command: [process.execPath, "-e", "require('fs').writeFileSync('words', process.argv.slice(1).join(' '))", "--"] },
  };
  export const PLANS = {
    good: [[["first"]], [["left"], ["right"]]],
    whole: [[["first"]], [["bad"]], [["late"]]],
    some: [[["docs"]], [["tests"]]],
    campaigns: [[["endless"]], [["late"]]],
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

it("continues after a failed check, and then fails with the command that fixes it", () => {
  const { status, stdout, stderr } = runChecks("whole");
  expect(status).toBe(1);
  expect(stdout).toContain("── the last lines of bad\nall wrong\n");
  expect(stdout).toMatch(/^FAILED {2}bad .*\nok {6}late/m);
  expect(stderr).toBe('\nThe check "bad" failed with exit code 3. Fix it with: npm run better\n');
});

it("runs only the requested checks", () => {
  const { status, stdout } = runChecks("whole", "--only", "late", "--only", "first");
  expect(status).toBe(0);
  expect(stdout.match(/^ok {6}(\w+)/gm)).toEqual(["ok      late", "ok      first"]);
});

it("has the tests count themselves into a file", () => {
  expect(runChecks("whole", "--only", "tests", "--results", "some.json").status).toBe(0);
  expect(readFileSync(join(folder, "words"), "utf8")).toBe("--results some.json");
});

it("stops a check that exceeds its budget, continues, and keeps the results for programs", () => {
  const { status, stdout, stderr } = runChecks("campaigns");
  expect(status).toBe(1);
  expect(stdout).toMatch(/^FAILED {2}endless .* s of .* s\nok {6}late/m);
  expect(stderr).toContain('The check "endless" failed with its budget of 0.005 minutes exceeded.');
  expect(runChecks("campaigns", "--only", "first").status).toBe(0);
  const kept = JSON.parse(readFileSync(join(folder, ".gantry/campaigns.json"), "utf8"));
  const outcome = {
    seconds: expect.any(Number),
    budget_seconds: expect.any(Number),
    at: expect.any(String),
    commit: null,
  };
  expect(kept).toEqual({
    endless: { ok: false, end: "its budget of 0.005 minutes exceeded", ...outcome },
    late: { ok: true, end: "exit code 0", ...outcome },
    first: { ok: true, end: "exit code 0", ...outcome },
  });
});

it("ends what a check leaves behind", () => {
  const { status, stderr } = runChecks("whole", "--only", "leaving");
  expect(status).toBe(1);
  expect(stderr).toContain('The check "leaving" failed with exit code 4.');
});

it("runs what the changed files can break, and the tests that depend on them", () => {
  const git = (...args: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  writeFileSync(join(folder, "one.ts"), "");
  writeFileSync(join(folder, "notes.txt"), "");
  const { status, stdout } = runChecks("some", "--changed");
  expect(status).toBe(0);
  expect(stdout).toContain("unchanged: docs");
  expect(readFileSync(join(folder, "words"), "utf8")).toBe("--passWithNoTests --related one.ts");
  mkdirSync(join(folder, "prisma"));
  writeFileSync(join(folder, "prisma/one.sql"), "");
  expect(runChecks("some", "--changed").status).toBe(0);
  expect(readFileSync(join(folder, "words"), "utf8")).toBe("");
});

it("lists the checks if the requested one does not exist", () => {
  const { status, stderr } = runChecks("whole", "--only", "frist");
  expect(status).toBe(2);
  expect(stderr).toContain('Unknown check "frist".');
  expect(stderr).toContain("first, left, right, bad, late");
});

it("has every check in verify or the campaigns, except the fast tests, which are a part of the tests", () => {
  const script = fileURLToPath(new URL("run-checks.mjs", import.meta.url));
  const help = (plan: string) => spawnSync(process.execPath, [script, plan, "--help"], { encoding: "utf8" }).stdout;
  const planned = (plan: string) => [...help(plan).matchAll(/^ {2}(?!-)(\w+(?: \w+)*) {2}/gm)].map(([, name]) => name);
  const every = help("verify")
    .match(/can be repeated; one of (.*)$/m)?.[1]
    ?.split(", ");
  expect([...planned("verify"), ...planned("campaigns")].sort()).toEqual(
    every?.filter((name) => name !== "fast tests").sort(),
  );
});
