import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const MEANWHILE = "AWS changes the rule in one step, so that there is no moment without it";

/**
 * What AWS changes of a rule: ModifySecurityGroupRules in the EC2 API reference, and "Security group connection tracking" in
 * the EC2 User Guide, read in November 2026.
 */
export const firewallRuleChanges = {
  source: {
    column: "source",
    effect: `${MEANWHILE}; tracked connections from the former source stay open until they end.`,
    undo: "Change the source back.",
  },
  port_range: {
    column: "portRange",
    effect: `${MEANWHILE}; tracked connections to the former ports stay open until they end.`,
    undo: "Change the ports back.",
  },
  protocol: {
    column: "protocol",
    effect: `${MEANWHILE}; tracked connections by the former protocol stay open until they end.`,
    undo: "Change the protocol back.",
  },
} as const satisfies ChangesOf<keyof Row<"firewallRule">>;
