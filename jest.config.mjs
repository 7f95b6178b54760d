export default {
  testEnvironment: "node",
  // Most of their time tests wait: for processes to start, leases to run out, the emulator to answer.
  maxWorkers: 4,
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  // Ends what hangs; a busy machine stays far below it.
  testTimeout: 120_000,
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
  globalTeardown: "<rootDir>/test/support/global-teardown.mjs",
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
};
