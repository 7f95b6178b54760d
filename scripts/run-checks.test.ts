import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CHECKS = `
  // Each waits for the file of the other, so that neither ends if one runs after the other.
  const meet = (own, other) =>
    \`echo \${own} begins; touch \${own}; while [ ! -e \${other} ]; do sleep 0.02; done; echo \${own} ends\`;
  export const PLANS = {
    good: [{ left: { command: meet("left", "right") }, right: { command: meet("right", "left") } }],
    bad: [{ bad: { command: "echo all wrong; exit 3", fix: "npm run better" } }, { late: { command: "echo late" } }],
    leaving: [{ leaving: { command: "sleep 600 & exit 4" } }],
    campaigns: [{ endless: { command: "sleep 600", minutes: 0.005 } }, { late: { command: "echo late", minutes: 1 } }],
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

it("runs two checks at the same time, and shows the output of each in one block", () => {
  const { status, stdout } = runChecks("good");
  expect(status).toBe(0);
  expect(stdout).toContain("── left\nleft begins\nleft ends\n");
  expect(stdout).toContain("── right\nright begins\nright ends\n");
});

it("continues after a failed check, and then fails with what fixes it", () => {
  const { status, stdout, stderr } = runChecks("bad");
  expect(status).toBe(1);
  expect(stdout).toContain("── the last lines of bad\nall wrong\n");
  expect(stdout).toMatch(/^FAILED {2}bad .*\nok {6}late/m);
  expect(stderr).toBe('\nThe check "bad" failed with exit code 3. Fix it with: npm run better\n');
});

it("runs only the requested checks", () => {
  expect(runChecks("bad", "--only", "late").status).toBe(0);
  const { stdout } = runChecks("bad", "--only", "late", "--only", "bad");
  expect(stdout.match(/^(?:ok|FAILED) +(\w+)/gm)).toEqual(["ok      late", "FAILED  bad"]);
});

it("stops a campaign after its minutes, continues, and keeps the figures with their commit", () => {
  const git = (...words: string[]) =>
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: folder, encoding: "utf8" }).stdout;
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "one");
  expect(runChecks("campaigns").status).toBe(1);
  expect(runChecks("campaigns", "--only", "late").status).toBe(0);
  const figures = { seconds: expect.any(Number), at: expect.any(String), commit: git("rev-parse", "HEAD").trim() };
  expect(JSON.parse(readFileSync(join(folder, ".gantry/campaigns.json"), "utf8"))).toEqual({
    endless: { ok: false, end: "more than 0.005 minutes", budget_seconds: 0.3, ...figures },
    late: { ok: true, end: "exit code 0", budget_seconds: 60, ...figures },
  });
});

it("ends what a check leaves behind", () => {
  const { status, stderr } = runChecks("leaving");
  expect([status, stderr]).toEqual([1, expect.stringContaining("failed with exit code 4.")]);
});

it("lists the checks if the requested one does not exist", () => {
  const { status, stderr } = runChecks("bad", "--only", "lade");
  expect([status, stderr]).toEqual([2, expect.stringMatching(/Unknown check "lade"\.\n(.*\n)* {2}bad\n {2}late\n/)]);
});
