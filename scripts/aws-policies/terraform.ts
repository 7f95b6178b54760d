import { BOUNDARY_NAME } from "@gantry/aws-facts";
import { KEYS_POLICY, trustPolicy } from "./cloudformation.js";
import type { Policy } from "./policies.js";

const HEAD = `# The role by which Gantry acts in this AWS account. Written by npm run policies.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "worker_arn" {
  description = "The ARN of the role or user that Gantry's workers run as"
  type        = string
}

variable "external_id" {
  description = "The answer of GET /accounts/:account/external-id"
  type        = string
}

variable "customer_keys" {
  description = "Whether disks or databases are encrypted with keys of this AWS account's own"
  type        = bool
  default     = false
}

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}
`;

/** The Terraform file of a provider's role with its policies and the boundary of the roles that it creates. */
export function terraformFile(policies: Record<string, Policy>, roleName: string): string {
  const blocks = Object.entries(policies).map(([name, policy]) => managedPolicy(name, policy));
  const attachments = Object.keys(policies)
    .filter((name) => name !== BOUNDARY_NAME)
    .map(attachment);
  return [HEAD, ...blocks, role(roleName), ...attachments, OUTPUTS].join("\n");
}

function managedPolicy(name: string, policy: Policy): string {
  return `resource "aws_iam_policy" "${label(name)}" {
${countOf(name)}  name   = "${name}"
  policy = jsonencode(${expression(policy)})
}
`;
}

function role(name: string): string {
  const trust = trustPolicy(`\${var.worker_arn}`, `\${var.external_id}`);
  return `resource "aws_iam_role" "gantry" {
  name                 = "${name}"
  max_session_duration = 3600
  assume_role_policy   = jsonencode(${expression(trust)})
}
`;
}

function attachment(name: string): string {
  const index = name === KEYS_POLICY ? "[0]" : "";
  return `resource "aws_iam_role_policy_attachment" "${label(name)}" {
${countOf(name)}  role       = aws_iam_role.gantry.name
  policy_arn = aws_iam_policy.${label(name)}${index}.arn
}
`;
}

const OUTPUTS = `output "role_arn" {
  value = aws_iam_role.gantry.arn
}

output "permissions_boundary" {
  value = aws_iam_policy.${label(BOUNDARY_NAME)}.arn
}
`;

function countOf(name: string): string {
  return name === KEYS_POLICY ? "  count  = var.customer_keys ? 1 : 0\n" : "";
}

function label(name: string): string {
  return name.replace(/^gantry-/, "").replaceAll("-", "_");
}

/** A value as an expression of Terraform's language, which reads JSON, with the partition and the AWS account in its ARNs. */
function expression(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll("arn:aws:iam::*:", `arn:aws:iam::\${data.aws_caller_identity.current.account_id}:`)
    .replaceAll("arn:aws:", `arn:\${data.aws_partition.current.partition}:`)
    .replaceAll("\n", "\n  ");
}
