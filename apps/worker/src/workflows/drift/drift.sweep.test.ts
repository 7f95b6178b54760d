import { sweep } from "@gantry/test/support/crash-sweep";
import { driftScenarios } from "./drift.scenarios.js";

sweep(driftScenarios);
