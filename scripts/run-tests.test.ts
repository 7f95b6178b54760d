import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const green = `test("is green", () => {});`;
const red = `test("is red", () => { throw new Error("always"); });`;
const flaky = `
  import { existsSync, writeFileSync } from "node:fs";
  test("is red once", () => {
    if (existsSync("was-run")) return;
    writeFileSync("was-run", "");
    throw new Error("only once");
  });`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-run-tests-"));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(join(root, "scripts/run-tests.mjs"), join(folder, "scripts/run-tests.mjs"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  // As here, without the servers.
  const config = `import shipped from "${pathToFileURL(join(root, "jest.config.mjs"))}";
    const { globalSetup, globalTeardown, setupFilesAfterEnv, testMatch, ...others } = shipped;
    export default {
      ...JSON.parse(JSON.stringify(others).replaceAll("<rootDir>/test", "${join(root, "test")}")),
      testMatch: testMatch.map((pattern) => pattern.replace(/ts$/, "mjs")),
    };`;
  writeFileSync(join(folder, "jest.config.mjs"), config);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs test files with these contents; returns the exit code, the output, the counts and what is kept of flaky tests.
 */
function runTests(files: Record<string, string>, ...words: string[]) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.mjs`), content);
  const args = ["scripts/run-tests.mjs", "--results", "results.json", ...words];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const read = (file: string) => existsSync(join(folder, file)) && JSON.parse(readFileSync(join(folder, file), "utf8"));
  return { status, stdout, counts: read("results.json"), kept: read(".gantry/flaky.json") };
}

it("passes when every test passes", () => {
  const { status, stdout, counts, kept } = runTests({ green });
  expect([status, counts, kept]).toEqual([0, { passed: 1, failed: 0, flaky: [] }, false]);
  expect(stdout).not.toContain("FLAKY");
});

it("passes with FLAKY and keeps the first failure when a test passes only on its own", () => {
  const { status, stdout, counts, kept } = runTests({ green, flaky });
  const failure = { file: "flaky.test.mjs", title: "is red once", failure: expect.stringContaining("only once") };
  expect([status, counts]).toEqual([0, { passed: 1, failed: 0, flaky: [failure] }]);
  expect(kept).toEqual([{ at: expect.any(String), ...failure }]);
  expect(stdout).toMatch(/FLAKY flaky\.test\.mjs\n {2}is red once\n.*only once/);
});

it("fails when a test is flaky and the run is strict", () => {
  const { status, stdout } = runTests({ green, flaky }, "--strict");
  expect(status).toBe(1);
  expect(stdout).toContain("FLAKY flaky.test.mjs");
});

it("fails when a test, or a file outside of its tests, fails in the run and on its own, and shows what is flaky", () => {
  const broken = `throw new Error("no tests");`;
  const { status, stdout, counts, kept } = runTests({ green, red, broken, flaky });
  const shown = { title: "is red once" };
  expect([status, counts, kept]).toMatchObject([1, { passed: 1, failed: 2, flaky: [shown] }, [shown]]);
  expect(stdout).not.toMatch(/FLAKY (red|broken)/);
});

it("fails the test that leaves a rejected promise unhandled", () => {
  const careless = `test("is careless", () => void Promise.reject(new Error("lost")));`;
  const { status, counts } = runTests({ careless, green });
  expect([status, counts]).toMatchObject([1, { passed: 1, failed: 1 }]);
});

it("fails when no file path matches", () => {
  expect(runTests({ green }, "no-such-file").status).toBe(1);
});

it("runs failed campaigns and tests again with the same selection", () => {
  writeFileSync(join(folder, "both.campaign.mjs"), `${flaky}\n${red.slice(red.indexOf("test("))}`);
  const { status, counts } = runTests({ red }, "--campaigns", "-t", "is red once");
  expect([status, counts]).toMatchObject([0, { passed: 0, failed: 0, flaky: [{ file: "both.campaign.mjs" }] }]);
});
