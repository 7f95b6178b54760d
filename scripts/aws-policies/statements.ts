import { CUSTOMER_KEY_STATEMENTS } from "./customer-key.statements.js";
import { DATABASE_AND_ROLE_STATEMENTS } from "./database-and-role.statements.js";
import { SERVER_STATEMENTS } from "./server.statements.js";
import type { StatementRule } from "./statement-rule.js";

/** The managed policies of a provider's role, each with the services whose actions it holds. */
export const POLICIES = {
  "gantry-servers": ["ec2", "autoscaling", "ssm", "servicequotas"],
  "gantry-databases-and-roles": ["rds", "iam"],
  "gantry-customer-keys": ["kms"],
} as const;

/**
 * Which statements an operation belongs to. An operation that only reads (Describe, Get, List, Simulate) needs no line:
 * it is allowed on every resource. Any other operation needs one line in each statement that its resource types
 * require; they are listed in AWS's Service Authorization Reference, which a test compares with this table.
 */
export const STATEMENTS: readonly StatementRule[] = [
  ...SERVER_STATEMENTS,
  ...DATABASE_AND_ROLE_STATEMENTS,
  ...CUSTOMER_KEY_STATEMENTS,
];

/**
 * The actions that AWS requires although no call of Gantry has their name, each with its source; all read in November
 * 2026.
 */
export const NOT_CALLED: Readonly<Record<string, string>> = {
  "iam:CreateServiceLinkedRole":
    "the first scaling group or database of an AWS account (user guides, “Service-linked roles”)",
  "iam:PassRole":
    "AddRoleToInstanceProfile, and an instance or a launch template with a profile (IAM user guide, “Grant permissions to pass a role”)",
  "kms:CreateGrant":
    "encrypted volumes and databases (EBS user guide, “Permissions for IAM users”; RDS user guide, “Key policy”)",
  "kms:Decrypt": "as kms:CreateGrant",
  "kms:DescribeKey": "as kms:CreateGrant",
  "kms:GenerateDataKeyWithoutPlaintext": "as kms:CreateGrant",
  "kms:ReEncrypt*": "as kms:CreateGrant",
};
