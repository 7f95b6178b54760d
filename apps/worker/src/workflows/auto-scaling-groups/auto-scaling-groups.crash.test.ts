import { testCrashes } from "@gantry/test/support/crash-tests";
import { autoScalingGroupScenarios } from "./auto-scaling-groups.scenarios.js";

testCrashes(autoScalingGroupScenarios);
