import { locked, type RetryRules } from "../retry-rule.js";
import { requireAllowedSubnet, requireUnused as requireUnusedSubnet } from "./subnet.rules.js";

export const subnetRetries = {
  provision_subnet: async ({ caller, db, id }) => {
    const subnet = await caller.find("subnet", id);
    await requireAllowedSubnet(db, await caller.find("network", subnet.networkId, "update"), subnet, id);
  },
  deprovision_subnet: locked("subnet", requireUnusedSubnet),
} satisfies RetryRules;
