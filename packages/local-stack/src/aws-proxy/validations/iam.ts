import { all } from "../xml.js";
import type { Validation } from "./validation.js";

const deletePolicy: Validation = async ({ call, read }) => {
  const arn = call.params.PolicyArn ?? "";
  const found = await read("iam", { Action: "ListEntitiesForPolicy", PolicyArn: arn });
  const attachments = ["PolicyRoles", "PolicyUsers", "PolicyGroups"].flatMap((list) => all(found, list, "member"));
  const message = "Cannot delete a policy attached to entities.";
  if (attachments.length > 0) return { code: "DeleteConflict", message, status: 409 };
  const versions = await read("iam", { Action: "ListPolicyVersions", PolicyArn: arn });
  const further = all(versions, "Versions", "member", "IsDefaultVersion").includes("false");
  const reason =
    "This policy has more than one version. Before you delete a policy, you must delete the policy's versions.";
  return further ? { code: "DeleteConflict", message: reason, status: 409 } : undefined;
};

/** Rejects a name that another one has in other case: IAM does not distinguish names by case, whatever their paths. */
function uniqueName(
  kind: string,
  list: Record<string, string>,
  path: [string, string, string],
  param: string,
): Validation {
  return async ({ call, read }) => {
    const name = call.params[param] ?? "";
    const names = all(await read("iam", list), ...path);
    const taken = names.some((each) => String(each).toLowerCase() === name.toLowerCase());
    const message = `${kind} with name ${name} already exists.`;
    return taken ? { code: "EntityAlreadyExists", message, status: 409 } : undefined;
  };
}

const profiles: [string, string, string] = ["InstanceProfiles", "member", "InstanceProfileName"];
const policies: [string, string, string] = ["Policies", "member", "PolicyName"];

export const iam: Record<string, Validation> = {
  CreateGroup: uniqueName("Group", { Action: "ListGroups" }, ["Groups", "member", "GroupName"], "GroupName"),
  CreateInstanceProfile: uniqueName(
    "Instance Profile",
    { Action: "ListInstanceProfiles" },
    profiles,
    "InstanceProfileName",
  ),
  CreatePolicy: uniqueName("A policy", { Action: "ListPolicies", Scope: "Local" }, policies, "PolicyName"),
  CreateRole: uniqueName("Role", { Action: "ListRoles" }, ["Roles", "member", "RoleName"], "RoleName"),
  CreateUser: uniqueName("User", { Action: "ListUsers" }, ["Users", "member", "UserName"], "UserName"),
  DeletePolicy: deletePolicy,
};
