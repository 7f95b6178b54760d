import type { FactsOf } from "../declarations/facts.js";

export const autoScalingGroupFacts = {
  references: { environment: "parent", provider: "other" },
  cloudObject: { kinds: ["auto_scaling_group"], column: "provisioned_id" },
  drift: {
    columns: ["minimum_size", "maximum_size", "desired_capacity", "flavor"],
    // Scaling policies move it; AWS keeps it between the other two.
    followed: ["desired_capacity"],
  },
  tagged: true,
  events: { silent: ["changing"] },
} as const satisfies FactsOf<"auto_scaling_group">;
