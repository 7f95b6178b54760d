import { testCrashes } from "@gantry/test/support/crash-tests";
import { environmentScenarios } from "./environments.scenarios.js";

testCrashes(environmentScenarios, { callbacks: true });
