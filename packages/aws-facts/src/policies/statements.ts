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
 * it is allowed on every resource. Any other operation needs one line in all statements that its resource types
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

/** The services of which a session may do everything that its role may. AWS accepts 2,048 characters of a policy. */
const WHOLE_SERVICES = new Set(["ec2", "autoscaling", "rds"]);

/** The actions that read, in services of which a session may not do everything. */
const READS = ["iam:Get*", "iam:List*", "iam:SimulatePrincipalPolicy", "servicequotas:GetServiceQuota"];

/**
 * The most that a session of a provider's role may do, whatever the role may: the actions of the statements and the reads
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies.html#policies_session).
 */
export const SESSION_POLICY = {
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Action: [
        ...[...WHOLE_SERVICES].map((service) => `${service}:*`),
        ...READS,
        ...allowedActions().filter((action) => !WHOLE_SERVICES.has(action.split(":")[0] ?? "")),
      ],
      Resource: "*",
    },
  ],
};

/** Every action that a statement allows, once. */
function allowedActions(): string[] {
  return [...new Set(STATEMENTS.flatMap(({ effect, actions }) => (effect === "Deny" ? [] : actions)))];
}
