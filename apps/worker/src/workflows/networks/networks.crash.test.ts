import { testCrashes } from "@gantry/test/support/crash-tests";
import { networkScenarios } from "./networks.scenarios.js";

testCrashes(networkScenarios);
