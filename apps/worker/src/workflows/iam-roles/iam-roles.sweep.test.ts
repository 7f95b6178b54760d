import { sweep } from "@gantry/test/support/crash-sweep";
import { iamRoleScenarios } from "./iam-roles.scenarios.js";

sweep(iamRoleScenarios);
