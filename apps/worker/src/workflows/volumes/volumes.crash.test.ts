import { testCrashes } from "@gantry/test/support/crash-tests";
import { volumeScenarios } from "./volumes.scenarios.js";

testCrashes(volumeScenarios);
