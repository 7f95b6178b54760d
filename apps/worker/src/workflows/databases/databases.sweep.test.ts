import { sweep } from "@gantry/test/support/crash-sweep";
import { databaseScenarios } from "./databases.scenarios.js";

sweep(databaseScenarios);
