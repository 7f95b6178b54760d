import { testCrashes } from "@gantry/test/support/crash-tests";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import { serverScenarios } from "./servers.scenarios.js";

const runner = scenarioRunner({ callbacks: true });
testCrashes(serverScenarios, runner);
testPassingAnswers(serverScenarios, runner);
