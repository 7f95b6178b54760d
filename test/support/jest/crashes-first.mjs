import sequencer from "@jest/test-sequencer";

const TestSequencer = sequencer.default ?? sequencer;

/** Starts crash tests first: they are short files that run long, and Jest starts short files last if it has not timed them. */
export default class CrashesFirst extends TestSequencer {
  sort(tests) {
    const isCrashTest = ({ path }) => path.endsWith(".crash.test.ts");
    const sorted = super.sort(tests);
    return [...sorted.filter(isCrashTest), ...sorted.filter((test) => !isCrashTest(test))];
  }
}
