import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { environmentScenarios } from "./environments.scenarios.js";

const runner = scenarioRunner({ callbacks: true });
testCrashes(environmentScenarios, runner);
testPassingAnswers(environmentScenarios, runner);
testGoneParents(environmentScenarios, runner);
