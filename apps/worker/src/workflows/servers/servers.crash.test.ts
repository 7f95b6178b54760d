import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { rootSnapshotScenarios, serverScenarios } from "./servers.scenarios.js";

const runner = scenarioRunner({ callbacks: true });
testCrashes(serverScenarios, runner);
testPassingAnswers(serverScenarios, runner);
testGoneParents(serverScenarios, runner);

describe("from the snapshot of a root disk", () => {
  testCrashes(rootSnapshotScenarios, runner);
  testPassingAnswers(rootSnapshotScenarios, runner);
  testGoneParents(rootSnapshotScenarios, runner);
});
