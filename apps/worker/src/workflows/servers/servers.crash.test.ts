import { testCrashes } from "@gantry/test/support/crash-tests";
import { serverScenarios } from "./servers.scenarios.js";

testCrashes(serverScenarios, { callbacks: true });
