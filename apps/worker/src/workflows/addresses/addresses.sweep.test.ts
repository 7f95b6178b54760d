import { sweep } from "@gantry/test/support/crash-sweep";
import { addressScenarios } from "./addresses.scenarios.js";

sweep(addressScenarios);
