import { testCrashes } from "@gantry/test/support/crash-tests";
import { addressScenarios } from "./addresses.scenarios.js";

testCrashes(addressScenarios);
