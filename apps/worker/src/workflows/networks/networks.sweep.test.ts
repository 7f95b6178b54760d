import { sweep } from "@gantry/test/support/crash-sweep";
import { networkScenarios } from "./networks.scenarios.js";

sweep(networkScenarios);
