import type { FactsOf } from "../declarations/facts.js";

export const autoScalingGroupFacts = {
  references: { environment: "parent", provider: "other" },
  cloudObject: { kinds: ["auto_scaling_group"], column: "provisioned_id" },
  tagged: true,
  events: { silent: ["changing"] },
} as const satisfies FactsOf<"auto_scaling_group">;
