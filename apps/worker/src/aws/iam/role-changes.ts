import {
  AttachRolePolicyCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from "@aws-sdk/client-iam";
import { found, ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { NOT_FOUND } from "./tags.js";

/** Returns the ARN of a role's boundary, null if it has none; undefined if the role does not exist. */
export function boundaryOf(name: string): (aws: Aws) => Promise<string | null | undefined> {
  return async ({ iam }) => {
    const { Role } = (await found(iam.send(new GetRoleCommand({ RoleName: name })), NOT_FOUND)) ?? {};
    return Role && (Role.PermissionsBoundary?.PermissionsBoundaryArn ?? null);
  };
}

/** A role's id and its trust policy; undefined if it does not exist. */
export function describeRole(name: string): (aws: Aws) => Promise<{ id: string; trust: object } | undefined> {
  return async ({ iam }) => {
    const { Role } = (await found(iam.send(new GetRoleCommand({ RoleName: name })), NOT_FOUND)) ?? {};
    return Role && { id: Role.RoleId ?? "", trust: documentOf(Role.AssumeRolePolicyDocument) };
  };
}

/** The ARNs of the policies attached to a role; undefined if it does not exist. */
export function attachedArns(name: string): (aws: Aws) => Promise<string[] | undefined> {
  return async ({ iam }) => {
    const attached = await found(iam.send(new ListAttachedRolePoliciesCommand({ RoleName: name })), NOT_FOUND);
    return attached && (attached.AttachedPolicies ?? []).map(({ PolicyArn = "" }) => PolicyArn);
  };
}

/** The policy that is part of the role and has its name; null if it has none. */
export function inlinePolicy(name: string): (aws: Aws) => Promise<object | null> {
  return async ({ iam }) => {
    const query = new GetRolePolicyCommand({ RoleName: name, PolicyName: name });
    const shown = await found(iam.send(query), NOT_FOUND);
    return shown ? documentOf(shown.PolicyDocument) : null;
  };
}

function documentOf(encoded = "{}"): object {
  return JSON.parse(decodeURIComponent(encoded));
}

/** Replaces the document that says who may use the role; may be repeated. */
export function setTrust(name: string, document: object): (aws: Aws) => Promise<void> {
  return async ({ iam }) => {
    const PolicyDocument = JSON.stringify(document);
    await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: name, PolicyDocument }));
  };
}

/** Sets the policy that is part of the role and has its name; may be repeated. */
export function putInlinePolicy(name: string, document: object): (aws: Aws) => Promise<void> {
  return async ({ iam }) => {
    const PolicyDocument = JSON.stringify(document);
    await iam.send(new PutRolePolicyCommand({ RoleName: name, PolicyName: name, PolicyDocument }));
  };
}

/** Removes the policy that is part of the role, if it has one of its name. */
export function deleteInlinePolicy(name: string): (aws: Aws) => Promise<void> {
  return ({ iam }) => ignoring(iam.send(new DeleteRolePolicyCommand({ RoleName: name, PolicyName: name })), NOT_FOUND);
}

/** Attaches a policy by its ARN; may be repeated. */
export function attachPolicy(name: string, PolicyArn: string): (aws: Aws) => Promise<void> {
  return async ({ iam }) => {
    await iam.send(new AttachRolePolicyCommand({ RoleName: name, PolicyArn }));
  };
}

/** Detaches a policy by its ARN, if it is attached. */
export function detachPolicy(name: string, PolicyArn: string): (aws: Aws) => Promise<void> {
  return ({ iam }) => ignoring(iam.send(new DetachRolePolicyCommand({ RoleName: name, PolicyArn })), NOT_FOUND);
}
