import { sweep } from "@gantry/test/support/crash-sweep";
import { volumeScenarios } from "./volumes.scenarios.js";

sweep(volumeScenarios);
