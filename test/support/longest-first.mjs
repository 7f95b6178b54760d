import TestSequencer from "@jest/test-sequencer";

/** Starts crash tests first: they take longest, and Jest, which goes by size where it has not timed a file, starts them last. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const isCrashTest = ({ path }) => path.endsWith(".crash.test.ts");
    const sorted = super.sort(tests);
    return [...sorted.filter(isCrashTest), ...sorted.filter((test) => !isCrashTest(test))];
  }
}
