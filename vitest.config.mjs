import { defineConfig } from "vitest/config";
import CrashesFirst from "./test/support/crashes-first.mjs";

export default defineConfig({
  // For --related, which looks for the imports of each test.
  ssr: { resolve: { conditions: ["gantry-source", "node"] } },
  test: {
    // The same loader as in production and in the processes that tests start, so that no second one transforms the sources.
    execArgv: ["--conditions=gantry-source", "--import", "tsx"],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Test files share processes: they load the modules once and run them warm, in half of the time.
    isolate: false,
    // Most of their time tests wait: for processes to start, leases to run out, the emulator to answer.
    maxWorkers: 5,
    sequence: { sequencer: CrashesFirst },
    // Only a test that hangs takes so long, however busy the machine is; no test sets a limit of its own.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 60_000,
    unstubEnvs: true,
    restoreMocks: true,
    slowTestThreshold: 30_000,
    globalSetup: ["test/support/start-stack.ts"],
    setupFiles: ["test/support/own-environment.ts", "test/support/expect-no-violations.ts"],
    include: ["**/*.{test,campaign}.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ".gantry/**"],
  },
});
