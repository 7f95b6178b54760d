import { sweep } from "@gantry/test/support/crash-sweep";
import { providerScenarios } from "./providers.scenarios.js";

sweep(providerScenarios);
