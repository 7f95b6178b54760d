import { sweep } from "@gantry/test/support/crash-sweep";
import { snapshotScenarios } from "./snapshots.scenarios.js";

sweep(snapshotScenarios);
