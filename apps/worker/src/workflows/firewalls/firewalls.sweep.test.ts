import { sweep } from "@gantry/test/support/crash-sweep";
import { firewallScenarios } from "./firewalls.scenarios.js";

sweep(firewallScenarios);
