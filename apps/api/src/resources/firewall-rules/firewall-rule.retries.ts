import { noFurtherRules, type RetryRules } from "../retry-rule.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { lockFirewalls, requireAllowedChange, requireAllowedRule } from "./firewall-rule.rules.js";

export const firewallRuleRetries = {
  provision_firewall_rule: async ({ caller, db, id }) => {
    const rule = await caller.find("firewallRule", id);
    await requireAllowedRule(caller, db, await caller.find("firewall", rule.firewallId, "share"), rule, rule.id);
  },
  modify_firewall_rule: async ({ caller, db, id, input }) => {
    const { firewallId } = await caller.find("firewallRule", id);
    const firewall = await lockFirewalls(caller, firewallId, input.sourceFirewallId);
    const rule = await caller.find("firewallRule", id, "update");
    await assertNoUnfinishedRequest(["modify_firewall_rule"], db, "firewall_rule", id);
    await requireAllowedChange(caller, db, firewall, rule, input);
  },
  deprovision_firewall_rule: noFurtherRules,
} satisfies RetryRules;
