import TestSequencer from "@jest/test-sequencer";

/** Starts crash sweeps first: they take longest, and Jest, which goes by size where it has not timed a file, starts them last. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const isSweep = ({ path }) => path.endsWith(".sweep.test.ts");
    const sorted = super.sort(tests);
    return [...sorted.filter(isSweep), ...sorted.filter((test) => !isSweep(test))];
  }
}
