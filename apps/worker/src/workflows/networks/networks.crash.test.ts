import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { networkScenarios } from "./networks.scenarios.js";

const runner = scenarioRunner();
testCrashes(networkScenarios, runner);
testPassingAnswers(networkScenarios, runner);
testGoneParents(networkScenarios, runner);
