import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const IN_ORDER =
  "The role gets the new policy before it loses the former one; servers see the change within seconds, without a restart.";

/**
 * What IAM changes of a role in use: UpdateAssumeRolePolicy, AttachRolePolicy and PutRolePolicy in the IAM API reference,
 * and "Changes that I make are not always immediately visible" in the IAM User Guide, read in November 2026.
 */
export const iamRoleChanges = {
  assume_role_policy_document: {
    column: "assumeRolePolicyDocument",
    effect: "IAM replaces the document in one call; servers keep the role.",
    undo: "Change the document back; a cancel does that until the Request ends.",
  },
  policy: {
    column: "policy",
    effect: IN_ORDER,
    undo: "Change the policy back; a cancel does that until the Request ends.",
  },
  policy_arn: {
    column: "policyArn",
    effect: IN_ORDER,
    undo: "Change the policy back; a cancel does that until the Request ends.",
  },
} as const satisfies ChangesOf<keyof Row<"iamRole">>;
