import type { FactsOf } from "../declarations/facts.js";

export const iamRoleFacts = {
  name: "IAM role",
  references: { provider: "parent" },
  cloudObject: { kinds: ["role"], column: "provisioned_id" },
  removedInParts: true,
  tagged: true,
  events: {},
} as const satisfies FactsOf<"iam_role">;
