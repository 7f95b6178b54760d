import type { FactsOf } from "../declarations/facts.js";

export const iamRoleFacts = {
  name: "IAM role",
  references: { provider: "parent" },
  cloudObject: { kinds: ["role"], column: "provisioned_id" },
  drift: {
    columns: ["assume_role_policy_document", "policy", "policy_arn"],
    documents: ["assume_role_policy_document", "policy"],
    global: true,
  },
  removedInParts: true,
  tagged: true,
  events: {},
} as const satisfies FactsOf<"iam_role">;
