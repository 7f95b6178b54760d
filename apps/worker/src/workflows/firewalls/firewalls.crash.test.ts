import { testCrashes } from "@gantry/test/support/crash-tests";
import { firewallScenarios } from "./firewalls.scenarios.js";

testCrashes(firewallScenarios);
