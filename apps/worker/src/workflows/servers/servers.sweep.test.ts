import { sweep } from "@gantry/test/support/crash-sweep";
import { serverScenarios } from "./servers.scenarios.js";

sweep(serverScenarios, { callbacks: true });
