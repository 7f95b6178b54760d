import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { snapshotScenarios } from "./snapshots.scenarios.js";

const runner = scenarioRunner();
testCrashes(snapshotScenarios, runner);
testPassingAnswers(snapshotScenarios, runner);
testGoneParents(snapshotScenarios, runner);
