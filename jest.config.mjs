export default {
  testEnvironment: "node",
  // Most of their time tests wait: for processes to start, leases to run out, the emulator to answer.
  maxWorkers: 4,
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  // The end of a worker frees a gigabyte, which can take longer than half a second. Only one with something open takes so long.
  workerGracefulExitTimeout: 30_000,
  // Only a test that hangs takes so long, however busy the machine is; no test sets a limit of its own.
  testTimeout: 900_000,
  testMatch: ["**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/", "/.gantry/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2024" }, module: { type: "es6" }, sourceMaps: "inline" },
    ],
  },
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  globalSetup: "<rootDir>/test/support/global-setup.mjs",
  setupFilesAfterEnv: ["<rootDir>/test/support/expect-no-violations.ts"],
  globalTeardown: "<rootDir>/test/support/global-teardown.mjs",
  testEnvironmentOptions: { customExportConditions: ["gantry-source", "node", "node-addons"] },
};
