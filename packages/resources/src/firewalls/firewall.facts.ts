import type { FactsOf } from "../declarations/facts.js";

export const firewallFacts = {
  references: { provider: "other", environment: "whole", database_service: "whole" },
  cloudObject: { kinds: ["security_group"], column: "provisioned_id" },
  tagged: true,
  events: {},
} as const satisfies FactsOf<"firewall">;
