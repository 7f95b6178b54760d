import { testCrashes } from "@gantry/test/support/crash-tests";
import { driftScenarios } from "./drift.scenarios.js";

testCrashes(driftScenarios);
