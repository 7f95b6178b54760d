import { isDeepStrictEqual } from "node:util";
import { IAM_POLICIES } from "@gantry/aws-facts";
import type { IamRole, Tx } from "@gantry/db";
import {
  field,
  type InputOf,
  iamRoleChanges,
  type PlannedChange,
  plannedChanges,
  type TrustDocument,
  trustDocument,
} from "@gantry/resources";
import type { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import type { Accepting } from "../../http/plans/requested.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { policyArn, policyName, requireAllowedPolicy } from "./iam-role.rules.js";

/** What a role can be given in place. */
export const roleChangesInput = strict({
  assume_role_policy_document: trustDocument.optional(),
  policy: policyName.nullable().optional().describe("Replaces the role's policy; null detaches it"),
  policy_arn: field(
    policyArn.nullable().optional(),
    "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
    "Replaces the role's policy; null detaches it",
  ),
});

type Input = InputOf<"modify_iam_role">;
type Values = Input["to"];
type Policies = NonNullable<Values["policies"]>;

const MAX_NAMED = 20;

/**
 * A role, locked until the transaction ends, and what changes of it.
 *
 * @throws 404, 409 if it cannot be changed now, 422 if a role cannot have the policy or nothing would change
 */
export async function findRoleModification(
  caller: Caller,
  db: Tx,
  roleId: string,
  given: z.output<typeof roleChangesInput>,
): Promise<{ role: IamRole; input: Input }> {
  if (given.policy && given.policy_arn) throw invalid("iam_role.policy_arn", "cannot be combined with policy");
  const role = await findModifiableRole(caller, db, roleId, given.policy_arn ?? null);
  const { assume_role_policy_document: trust } = given;
  const policies = policiesAfter(role, given);
  const to: Values = {
    ...(trust && !isDeepStrictEqual(trust, trustOf(role)) && { assumeRolePolicyDocument: trust }),
    ...(policies && { policies }),
  };
  if (Object.keys(to).length === 0) {
    const names = Object.keys(iamRoleChanges).join(", ");
    throw invalid("iam_role", `names no change: ${names} are as they would be`);
  }
  return { role, input: { from: valuesBefore(role, to), to } };
}

/**
 * A role that can get the policy, locked until the transaction ends.
 *
 * @throws 404, 409 if it cannot be changed now, 422 if a role cannot have the policy
 */
export async function findModifiableRole(caller: Caller, db: Tx, roleId: string, arn: string | null): Promise<IamRole> {
  const role = await caller.find("iamRole", roleId, "update");
  requireProvisioned("iam_role", role);
  await assertNoUnfinishedRequest(["modify_iam_role"], db, "iam_role", role.id);
  requireAllowedPolicy(await caller.find("provider", role.providerId), arn);
  return role;
}

/**
 * Accepts a change of a role to former values, named as in the API; documents are texts or objects.
 *
 * @throws 404, 409 if it cannot be changed now, 422 if a role cannot have the policy
 */
export async function restoreRole(
  { caller, db, createRequest }: Accepting,
  id: string,
  former: Record<string, unknown>,
) {
  const { assume_role_policy_document: trust, policy, policy_arn: arn } = former;
  const role = await findModifiableRole(caller, db, id, typeof arn === "string" ? arn : null);
  const own = policiesOf(role);
  const policies: Policies = {
    ...own,
    ...(policy !== undefined && { policy: documentOf(policy) as Policies["policy"] }),
    ...(arn !== undefined && { policyArn: arn as string | null }),
  };
  const to: Values = {
    ...(trust !== undefined && { assumeRolePolicyDocument: documentOf(trust) as TrustDocument }),
    ...(!isDeepStrictEqual(policies, own) && { policies }),
  };
  const input = { from: valuesBefore(role, to), to };
  return createRequest("modify_iam_role", {
    accountId: role.accountId,
    resource: { type: "iam_role", id },
    input,
    changes: async () => ({ changes: await plannedRoleChanges(db, role, input) }),
  });
}

function documentOf(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : value;
}

/** What a role has now, of the values that would change. */
export function valuesBefore(role: IamRole, to: Values): Values {
  return {
    ...(to.assumeRolePolicyDocument && { assumeRolePolicyDocument: trustOf(role) }),
    ...(to.policies && { policies: policiesOf(role) }),
  };
}

/** The changes as a plan shows them: what happens begins with what uses the role. */
export async function plannedRoleChanges(db: Tx, role: IamRole, { to }: Input): Promise<PlannedChange[]> {
  const users = await usersOf(db, role);
  const own =
    role.userManagedPolicy && to.policies ? " Its own policy stays, detached, until the role is removed." : "";
  const row = shown({ assumeRolePolicyDocument: trustOf(role), policies: policiesOf(role) });
  return plannedChanges(iamRoleChanges, row, shown(to)).map((change) => ({
    ...change,
    effect: `${users} ${change.effect}${own}`,
  }));
}

/** The policies after the change; undefined if they stay. */
function policiesAfter(role: IamRole, given: z.output<typeof roleChangesInput>): Policies | undefined {
  const { policy, policy_arn: arn } = given;
  const none: Policies = { policy: null, policyArn: null, userManagedPolicy: false };
  if (policy) {
    const document = IAM_POLICIES[policy] as object as Policies["policy"];
    return isDeepStrictEqual(role.policy, document) ? undefined : { ...none, policy: document };
  }
  if (arn) return role.policyArn === arn ? undefined : { ...none, policyArn: arn };
  const isTaken = (policy === null && role.policy !== null) || (arn === null && role.policyArn !== null);
  return isTaken ? none : undefined;
}

function policiesOf({ policy, policyArn, userManagedPolicy }: IamRole): Policies {
  return { policy: policy as Policies["policy"], policyArn, userManagedPolicy };
}

function trustOf({ assumeRolePolicyDocument }: IamRole): TrustDocument {
  const parsed = trustDocument.safeParse(assumeRolePolicyDocument);
  return parsed.success ? parsed.data : (assumeRolePolicyDocument as object as TrustDocument);
}

/** The values as texts, under the names of their columns. */
function shown({ assumeRolePolicyDocument: trust, policies }: Values): Record<string, string | null> {
  return {
    ...(trust && { assumeRolePolicyDocument: JSON.stringify(trust) }),
    ...(policies && { policy: nameOf(policies.policy), policyArn: policies.policyArn }),
  };
}

function nameOf(policy: Policies["policy"]): string | null {
  const known = Object.entries(IAM_POLICIES).find(([, document]) => isDeepStrictEqual(document, policy));
  return known?.[0] ?? (policy && JSON.stringify(policy));
}

/** A sentence that names the servers that use the role, with their environments and scaling groups. */
async function usersOf(db: Tx, { id }: IamRole): Promise<string> {
  const servers = await db.server.findMany({ where: { iamRoleId: id, deletedAt: null }, orderBy: { id: "asc" } });
  if (servers.length === 0) return "No server uses the role.";
  const named = [
    ["server", servers.map((server) => server.id)],
    ["environment", servers.map(({ environmentId }) => environmentId)],
    ["auto scaling group", servers.map(({ autoScalingGroupId }) => autoScalingGroupId)],
  ] as const;
  const parts = named.flatMap(([name, ids]) => {
    const all = [...new Set(ids.filter((each) => each !== null))];
    const more = all.length > MAX_NAMED ? ` and ${all.length - MAX_NAMED} more` : "";
    const list = all.slice(0, MAX_NAMED).join(", ");
    return all.length > 0 ? [`${name}${all.length > 1 ? "s" : ""} ${list}${more}`] : [];
  });
  return `Used by ${parts.join("; ")}.`;
}
