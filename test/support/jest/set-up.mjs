import { emptyRecording } from "./record-statements.mjs";

/** Starts what every test file needs, before the processes start that run them. */
export default async function setUp({ testPathPatterns, onlyChanged, findRelatedTests }) {
  if (!process.execArgv.includes("--conditions=gantry-source")) throw new Error("Run the tests with npm test.");
  const isPart = testPathPatterns.isSet() || onlyChanged || findRelatedTests || process.env.GANTRY_TEST_SPEED;
  if (!isPart && !process.env.GANTRY_TEST_FILES) emptyRecording();
  const { default: startStack } = await import("../start-stack.ts");
  globalThis.stopStack = await startStack();
}
