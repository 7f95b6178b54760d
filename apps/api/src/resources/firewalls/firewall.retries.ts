import { noFurtherRules, type RetryRules } from "../retry-rule.js";

export const firewallRetries = {
  provision_default_firewall: noFurtherRules,
} satisfies RetryRules;
