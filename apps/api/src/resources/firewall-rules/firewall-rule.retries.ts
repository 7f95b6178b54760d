import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { requireAllowedRule } from "./firewall-rule.rules.js";

export const firewallRuleRetries = {
  provision_firewall_rule: async ({ caller, db, id }) => {
    const rule = await caller.find("firewallRule", id);
    await requireAllowedRule(caller, db, await caller.find("firewall", rule.firewallId, "share"), rule, rule.id);
  },
  deprovision_firewall_rule: noFurtherRules,
} satisfies RetryRules;
