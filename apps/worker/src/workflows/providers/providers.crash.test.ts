import { testCrashes } from "@gantry/test/support/crash-tests";
import { providerScenarios } from "./providers.scenarios.js";

testCrashes(providerScenarios);
