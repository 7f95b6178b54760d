import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { tagScenarios } from "./tags.scenarios.js";

const runner = scenarioRunner();
testCrashes(tagScenarios, runner);
testPassingAnswers(tagScenarios, runner);
testGoneParents(tagScenarios, runner);
