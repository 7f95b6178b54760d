import { testCrashes } from "@gantry/test/support/crash-tests";
import { iamRoleScenarios } from "./iam-roles.scenarios.js";

testCrashes(iamRoleScenarios);
