import { testCrashes } from "@gantry/test/support/crash-tests";
import { snapshotScenarios } from "./snapshots.scenarios.js";

testCrashes(snapshotScenarios);
