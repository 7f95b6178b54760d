import { testCrashes } from "@gantry/test/support/crash-tests";
import { testGoneParents } from "@gantry/test/support/gone-parents";
import { testPassingAnswers } from "@gantry/test/support/passing-answer-tests";
import { scenarioRunner } from "@gantry/test/support/scenario-runner";
import {
  databaseScenarios,
  failoverScenarios,
  maintenanceWindowScenarios,
  restoreScenarios,
  snapshotRestoreScenarios,
} from "./databases.scenarios.js";

const runner = scenarioRunner();
for (const scenarios of [
  databaseScenarios,
  maintenanceWindowScenarios,
  failoverScenarios,
  restoreScenarios,
  snapshotRestoreScenarios,
]) {
  testCrashes(scenarios, runner);
  testPassingAnswers(scenarios, runner);
}
testGoneParents(databaseScenarios, runner);
