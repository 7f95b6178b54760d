import { BOUNDARY_NAME } from "@gantry/aws-facts";
import { pascalCase } from "es-toolkit/string";
import type { Policy } from "./policies.js";

/** The policy that only AWS accounts with their own keys need. */
export const KEYS_POLICY = "gantry-customer-keys";

/** The template of a provider's role with its policies and the boundary of the roles that it creates. */
export function cloudFormationTemplate(policies: Record<string, Policy>, roleName: string) {
  const managed = Object.entries(policies).map(([name, policy]) => [
    logicalId(name),
    {
      Type: "AWS::IAM::ManagedPolicy",
      ...(name === KEYS_POLICY && { Condition: "UsesCustomerKeys" }),
      Properties: { ManagedPolicyName: name, PolicyDocument: inAccount(policy) },
    },
  ]);
  const attached = Object.keys(policies)
    .filter((name) => name !== BOUNDARY_NAME)
    .map((name) => {
      const reference = { Ref: logicalId(name) };
      return name === KEYS_POLICY ? { "Fn::If": ["UsesCustomerKeys", reference, { Ref: "AWS::NoValue" }] } : reference;
    });
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: "The role by which Gantry acts in this AWS account. Written by npm run policies.",
    Parameters: {
      WorkerArn: {
        Type: "String",
        Description: "The ARN of the role or user that Gantry's workers run as",
        AllowedPattern: "^arn:[a-z-]+:iam::[0-9]{12}:(role|user)/.+$",
      },
      ExternalId: {
        Type: "String",
        Description: "The answer of GET /accounts/:account/external-id",
        AllowedPattern: "^[0-9a-f]{32}$",
      },
      CustomerKeys: {
        Type: "String",
        Description: "true if disks or databases are encrypted with keys of this AWS account",
        AllowedValues: ["true", "false"],
        Default: "false",
      },
    },
    Conditions: { UsesCustomerKeys: { "Fn::Equals": [{ Ref: "CustomerKeys" }, "true"] } },
    Resources: {
      ...Object.fromEntries(managed),
      Role: {
        Type: "AWS::IAM::Role",
        Properties: {
          RoleName: roleName,
          MaxSessionDuration: 3600,
          AssumeRolePolicyDocument: trustPolicy({ Ref: "WorkerArn" }, { Ref: "ExternalId" }),
          ManagedPolicyArns: attached,
        },
      },
    },
    Outputs: {
      RoleArn: { Description: "role_arn of the provider", Value: { "Fn::GetAtt": ["Role", "Arn"] } },
      PermissionsBoundary: {
        Description: "permissions_boundary of the provider",
        Value: { Ref: logicalId(BOUNDARY_NAME) },
      },
    },
  };
}

/** The trust policy of a provider's role: the worker may assume it with the account's external id. */
export function trustPolicy<Reference>(workerArn: Reference, externalId: Reference) {
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: workerArn },
        Action: "sts:AssumeRole",
        Condition: { StringEquals: { "sts:ExternalId": externalId } },
      },
    ],
  };
}

function logicalId(name: string): string {
  return pascalCase(`${name.replace(/^gantry/, "")}-policy`);
}

/** The policy with the template's AWS partition and AWS account in its ARNs. */
function inAccount(policy: Policy): unknown {
  return JSON.parse(JSON.stringify(policy), (_key, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith("arn:aws:")) return value;
    const arn = value.replace("arn:aws:iam::*:", `arn:aws:iam::\${AWS::AccountId}:`);
    return { "Fn::Sub": arn.replace("arn:aws:", `arn:\${AWS::Partition}:`) };
  });
}
