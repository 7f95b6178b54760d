import { all } from "../xml.js";
import type { Validation } from "./validation.js";

const deletePolicy: Validation = async ({ call, read }) => {
  const arn = call.params.PolicyArn ?? "";
  const found = await read("iam", { Action: "ListEntitiesForPolicy", PolicyArn: arn });
  const attachments = ["PolicyRoles", "PolicyUsers", "PolicyGroups"].flatMap((list) => all(found, list, "member"));
  const message = "Cannot delete a policy attached to entities.";
  return attachments.length > 0 ? { code: "DeleteConflict", message, status: 409 } : undefined;
};

export const iam: Record<string, Validation> = { DeletePolicy: deletePolicy };
