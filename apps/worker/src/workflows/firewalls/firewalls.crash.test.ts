import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { firewallScenarios } from "./firewalls.scenarios.js";

const runner = scenarioRunner();
testCrashes(firewallScenarios, runner);
testPassingAnswers(firewallScenarios, runner);
testGoneParents(firewallScenarios, runner);
