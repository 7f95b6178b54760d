import { testCrashes } from "@gantry/test/support/crash-tests";
import { databaseScenarios } from "./databases.scenarios.js";

testCrashes(databaseScenarios);
