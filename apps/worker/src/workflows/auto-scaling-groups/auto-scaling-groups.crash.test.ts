import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { autoScalingGroupScenarios } from "./auto-scaling-groups.scenarios.js";

const runner = scenarioRunner();
testCrashes(autoScalingGroupScenarios, runner);
testPassingAnswers(autoScalingGroupScenarios, runner);
testGoneParents(autoScalingGroupScenarios, runner);
