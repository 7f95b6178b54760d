import { sweep } from "@gantry/test/support/crash-sweep";
import { autoScalingGroupScenarios } from "./auto-scaling-groups.scenarios.js";

sweep(autoScalingGroupScenarios);
