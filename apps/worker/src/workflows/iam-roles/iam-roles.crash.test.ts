import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { iamRoleScenarios } from "./iam-roles.scenarios.js";

const runner = scenarioRunner();
testCrashes(iamRoleScenarios, runner);
testPassingAnswers(iamRoleScenarios, runner);
testGoneParents(iamRoleScenarios, runner);
