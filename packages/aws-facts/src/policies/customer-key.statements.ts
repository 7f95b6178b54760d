import type { StatementRule } from "./statement-rule.js";

/** The statements for the keys of customers. */
export const CUSTOMER_KEY_STATEMENTS: readonly StatementRule[] = [
  {
    sid: "KeysThroughServices",
    about: "lets EC2 and RDS use customer keys for the disks and databases that Gantry creates",
    actions: ["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncrypt*"],
    resources: ["arn:aws:kms:*:*:key/*"],
    condition: { StringLike: { "kms:ViaService": ["ec2.*.amazonaws.com", "rds.*.amazonaws.com"] } },
  },
  {
    sid: "GrantKeysToServices",
    about: "lets EC2 and RDS keep the use of those keys while a disk is attached or a database runs",
    actions: ["kms:CreateGrant"],
    resources: ["arn:aws:kms:*:*:key/*"],
    condition: {
      Bool: { "kms:GrantIsForAWSResource": "true" },
      StringLike: { "kms:ViaService": ["ec2.*.amazonaws.com", "rds.*.amazonaws.com"] },
    },
  },
];
