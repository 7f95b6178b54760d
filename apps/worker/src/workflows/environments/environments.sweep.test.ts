import { sweep } from "@gantry/test/support/crash-sweep";
import { environmentScenarios } from "./environments.scenarios.js";

sweep(environmentScenarios, { callbacks: true });
