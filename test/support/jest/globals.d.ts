import type * as globals from "@jest/globals";

declare global {
  const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test }: typeof globals;
  /** What test/support/jest/run-in-process.mjs provides of it. */
  const jest: Pick<
    typeof globals.jest,
    "fn" | "spyOn" | "replaceProperty" | "restoreAllMocks" | "useFakeTimers" | "useRealTimers" | "setSystemTime"
  >;
}
