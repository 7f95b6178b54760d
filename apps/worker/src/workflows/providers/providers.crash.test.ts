import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { providerScenarios } from "./providers.scenarios.js";

// The specification offers little: each discovery of three regions reads it.
const runner = scenarioRunner({ offers: "specification" });
testCrashes(providerScenarios, runner);
testPassingAnswers(providerScenarios, runner);
testGoneParents(providerScenarios, runner);
