/** @type {import("jest").Config} */
export default {
  testMatch: [`**/*.${process.env.GANTRY_TEST_FILES ?? "test"}.ts`],
  modulePathIgnorePatterns: ["<rootDir>/.gantry/", "/dist/"],
  // Test files share processes: they load the modules once and run them warm, in half of the time. Node loads them, with
  // tsx, as in production; Jest transforms nothing.
  testEnvironment: "<rootDir>/test/support/jest/shared-process.mjs",
  testRunner: "<rootDir>/test/support/jest/run-in-process.mjs",
  transform: {},
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
