import { BaseSequencer } from "vitest/node";

/** Starts crash tests first: they are short files that run long, and Vitest starts short files last if it has not timed them. */
export default class CrashesFirst extends BaseSequencer {
  async sort(files) {
    const isCrashTest = ({ moduleId }) => moduleId.endsWith(".crash.test.ts");
    const sorted = await super.sort(files);
    return [...sorted.filter(isCrashTest), ...sorted.filter((file) => !isCrashTest(file))];
  }
}
