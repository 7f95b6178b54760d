import {
  AttachRolePolicyCommand,
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRoleCommand,
  ListAttachedRolePoliciesCommand,
  ListInstanceProfilesForRoleCommand,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
} from "@aws-sdk/client-iam";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { found, ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { findByName, NOT_FOUND, tagsOf } from "./tags.js";

export interface RoleParams {
  name: string;
  path: string;
  trustPolicy: object;
  /** The ARN of the policy that bounds what the role may do, whatever its policies allow. */
  permissionsBoundary?: string;
  /** A policy that is part of the role. */
  inlinePolicy?: { name: string; document: object };
  /** The ARN of a policy to attach. */
  policyArn?: string;
}

/** A role with its policy. Its id is its name, which is unique in the AWS account across paths. */
export const role: CloudKind<Aws, RoleParams> = {
  kind: "role",
  label: "role",
  strategy: "name",
  async find({ iam }, intent) {
    const { name } = intent.params;
    return findByName(intent, name, async () => (await iam.send(new GetRoleCommand({ RoleName: name }))).Role?.Tags);
  },
  async create({ noRetry }, intent) {
    const { name, path, trustPolicy, permissionsBoundary } = intent.params;
    await noRetry.iam.send(
      new CreateRoleCommand({
        RoleName: name,
        Path: path,
        AssumeRolePolicyDocument: JSON.stringify(trustPolicy),
        ...(permissionsBoundary && { PermissionsBoundary: permissionsBoundary }),
        Tags: tagsOf(intent),
      }),
    );
    return name;
  },
  async sync({ iam }, name, { params }) {
    const { inlinePolicy, policyArn } = params;
    if (inlinePolicy) {
      const PolicyDocument = JSON.stringify(inlinePolicy.document);
      await iam.send(new PutRolePolicyCommand({ RoleName: name, PolicyName: inlinePolicy.name, PolicyDocument }));
    }
    if (policyArn) await iam.send(new AttachRolePolicyCommand({ RoleName: name, PolicyArn: policyArn }));
  },
  async obstacles({ iam }, name) {
    const query = new ListInstanceProfilesForRoleCommand({ RoleName: name });
    const { InstanceProfiles = [] } = (await found(iam.send(query), NOT_FOUND)) ?? {};
    return InstanceProfiles.map(({ InstanceProfileName: id = "" }) => ({
      fact: `is in instance profile ${id}`,
      ids: [id],
    }));
  },
  async remove({ iam }, name) {
    await ignoring(removePolicies(iam, name), NOT_FOUND);
    await ignoring(iam.send(new DeleteRoleCommand({ RoleName: name })), NOT_FOUND);
  },
};

/** The role's ARN and its unique id. */
export function describeRole(name: string): (aws: Aws) => Promise<{ arn: string; id: string }> {
  return async ({ iam }) => {
    const { Role } = await iam.send(new GetRoleCommand({ RoleName: name }));
    return { arn: Role?.Arn ?? "", id: Role?.RoleId ?? "" };
  };
}

async function removePolicies(iam: Aws["iam"], name: string): Promise<void> {
  const [attached, inline] = await Promise.all([
    iam.send(new ListAttachedRolePoliciesCommand({ RoleName: name })),
    iam.send(new ListRolePoliciesCommand({ RoleName: name })),
  ]);
  for (const { PolicyArn } of attached.AttachedPolicies ?? []) {
    await ignoring(iam.send(new DetachRolePolicyCommand({ RoleName: name, PolicyArn })), NOT_FOUND);
  }
  for (const PolicyName of inline.PolicyNames ?? []) {
    await ignoring(iam.send(new DeleteRolePolicyCommand({ RoleName: name, PolicyName })), NOT_FOUND);
  }
}
