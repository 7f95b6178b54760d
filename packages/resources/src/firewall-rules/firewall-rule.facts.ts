import type { FactsOf } from "../declarations/facts.js";

export const firewallRuleFacts = {
  references: { firewall: "parent", source_firewall: "other" },
  cloudObject: { kinds: ["security_group_rule"], column: "provisioned_id" },
  events: {},
} as const satisfies FactsOf<"firewall_rule">;
