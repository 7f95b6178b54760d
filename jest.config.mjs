/** Tests of crashes, of whole workflows and of many processes, and those of single resources. */
const SLOW = [
  "\\.crash\\.test",
  "<rootDir>/(test|scripts)/",
  "apps/api/src/resources/",
  "apps/worker/src/(workflows|drift|offers|webhooks)/",
  "packages/local-stack/",
  "packages/client/src/(?!webhooks)",
  "apps/cli/src/(?!progress)",
  "/(first-boot\\.sandbox|identities|interleavings|kinds|outage|request-conflicts)\\.test",
];

/** @type {import("jest").Config} */
export default {
  testMatch: [`**/*.${process.env.GANTRY_TEST_FILES ?? "test"}.ts`],
  testPathIgnorePatterns: ["/node_modules/", ...(process.env.GANTRY_TEST_SPEED === "fast" ? SLOW : [])],
  modulePathIgnorePatterns: ["<rootDir>/.gantry/", "/dist/"],
  // Test files share processes: they load the modules once and run them warm, in half of the time. Node loads them, with
  // tsx, as in production; Jest transforms nothing.
  testEnvironment: "<rootDir>/test/support/jest/shared-process.mjs",
  // Flaky tests until they are fixed, by file: the failure of one is printed and does not fail the run. An entry looks like
  // `"apps/api/src/main.test.ts": ["serves the API"]`, with the titles of the blocks around the test before its own.
  testEnvironmentOptions: { quarantine: {} },
  testRunner: "<rootDir>/test/support/jest/run-in-process.mjs",
  transform: {},
  // Where imports lead, for the options `--onlyChanged` and `--findRelatedTests`. Node does not read this.
  moduleNameMapper: {
    "^(\\.{1,2}/.*)\\.js$": "$1",
    "^@gantry/test/(.*)$": "<rootDir>/test/$1",
    "^@gantry/([^/]+)$": ["<rootDir>/packages/$1/src/index.ts", "<rootDir>/apps/$1/src/index.ts"],
  },
  // Most of their time tests wait: for processes to start, leases to run out, the emulator to answer.
  maxWorkers: 5,
  // With a limit, Jest starts processes even for a single file.
  workerIdleMemoryLimit: "2GB",
  testSequencer: "<rootDir>/test/support/jest/crashes-first.mjs",
  // Only a test that hangs takes so long, however busy the machine is; no test sets a limit of its own.
  testTimeout: 900_000,
  // A process that still holds a connection after its last file is ended then, with a warning.
  workerGracefulExitTimeout: 5_000,
  slowTestThreshold: 30,
  restoreMocks: true,
  waitForUnhandledRejections: true,
  globalSetup: "<rootDir>/test/support/jest/set-up.mjs",
  globalTeardown: "<rootDir>/test/support/jest/tear-down.mjs",
  setupFilesAfterEnv: ["<rootDir>/test/support/own-environment.ts", "<rootDir>/test/support/expect-no-violations.ts"],
};
