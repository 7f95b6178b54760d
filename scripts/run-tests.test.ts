import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const green = `test("is green", () => {});`;
const red = `describe("it", () => test("is red", () => { throw new Error("always"); }));`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-run-tests-"));
  mkdirSync(join(folder, "scripts"));
  copyFileSync(join(root, "scripts/run-tests.mjs"), join(folder, "scripts/run-tests.mjs"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs files with these names and contents as tests, with the configuration of this repository but without the servers. */
function runTests(files: Record<string, string>, quarantine: Record<string, string[]> = {}, ...words: string[]) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.mjs`), content);
  const config = `import shipped from "${pathToFileURL(join(root, "jest.config.mjs"))}";
    const { globalSetup, globalTeardown, setupFilesAfterEnv, testMatch, ...others } = shipped;
    export default {
      ...JSON.parse(JSON.stringify(others).replaceAll("<rootDir>/test", "${join(root, "test")}")),
      testMatch: testMatch.map((pattern) => pattern.replace(/ts$/, "mjs")),
      testEnvironmentOptions: { quarantine: ${JSON.stringify(quarantine)} },
    };`;
  writeFileSync(join(folder, "jest.config.mjs"), config);
  const { GANTRY_TEST_FILES: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/run-tests.mjs", ...words], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}` };
}

it("fails if a test fails, and runs it only once", () => {
  const { status, output } = runTests({ "green.test": green, "red.test": red });
  expect(status).toBe(1);
  expect(output).toContain("1 failed, 1 passed, 2 total");
  expect(output.match(/● it › is red$/gm)).toHaveLength(1);
});

it("prints a quarantined test with its failure, and passes", () => {
  const quarantine = { "red.test.mjs": ["it is red"], "green.test.mjs": ["is green"] };
  const { status, output } = runTests({ "green.test": green, "red.test": red }, quarantine);
  expect(output).toMatch(/QUARANTINED failed: red\.test\.mjs it is red Error: always/);
  expect(output).toContain("QUARANTINED passed: green.test.mjs is green");
  expect(status).toBe(0);
});

it.each([
  ["file", { "gone.test.mjs": ["is green"] }],
  ["test", { "green.test.mjs": ["is gone"] }],
])("fails if the quarantine names no %s", (_, quarantine) => {
  const { status, output } = runTests({ "green.test": green }, quarantine);
  expect(status).toBe(1);
  expect(output).toMatch(/The quarantine names .*gone/);
});

it("fails the test that leaves a rejected promise unhandled", () => {
  const careless = `test("is careless", () => void Promise.reject(new Error("lost")));`;
  const { status, output } = runTests({ "careless.test": careless, "green.test": green });
  expect([status, output]).toEqual([1, expect.stringContaining("1 failed, 1 passed")]);
});

it("runs campaigns instead of tests with --campaigns", () => {
  const { status, output } = runTests({ "red.test": red, "green.campaign": green }, {}, "--campaigns");
  expect([status, output]).toEqual([0, expect.stringContaining("1 passed, 1 total")]);
});
