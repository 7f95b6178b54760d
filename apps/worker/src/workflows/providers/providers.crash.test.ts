import { testCrashes } from "@gantry/test/support/crash-tests";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { providerScenarios } from "./providers.scenarios.js";

const runner = scenarioRunner();
testCrashes(providerScenarios, runner);
testPassingAnswers(providerScenarios, runner);
