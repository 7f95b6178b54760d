import { requireProvisioned } from "../provisioned.js";
import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { changesOfGroup, findModifiableGroup } from "./auto-scaling-group.modification.js";
import { findAppMaster, requireOrder } from "./auto-scaling-group.rules.js";

export const autoScalingGroupRetries = {
  provision_auto_scaling_group: async ({ caller, db, env, id, changeInput }) => {
    requireReachableReports(env);
    const { environmentId } = await caller.find("autoScalingGroup", id);
    const environment = await caller.find("environment", environmentId, "update");
    changeInput({ serverId: (await findAppMaster(caller, db, environment, id)).id });
  },
  update_auto_scaling_group: async ({ caller, id, input }) => {
    requireProvisioned("auto_scaling_group", await caller.find("autoScalingGroup", id, "update"));
    const { minimumSize, maximumSize, desiredCapacity } = input;
    requireOrder({ minimum_size: minimumSize, maximum_size: maximumSize, desired_capacity: desiredCapacity });
  },
  modify_auto_scaling_group: async ({ caller, db, id, input, changeInput }) => {
    const modifiable = await findModifiableGroup(caller, db, id, input.blueprintId);
    changeInput((await changesOfGroup(db, modifiable, input)).input);
  },
  deprovision_auto_scaling_group: noFurtherRules,
} satisfies RetryRules;
