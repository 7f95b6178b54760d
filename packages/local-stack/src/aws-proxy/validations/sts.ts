import { text } from "../xml.js";
import { isTrusted } from "./trust-policy.js";
import type { Validation } from "./validation.js";

/** The emulator lets every caller assume a role, also one that does not exist or that requires an external id. */
const assumeRole: Validation = async ({ call, read, readIn }) => {
  const { RoleArn = "", ExternalId: externalId } = call.params;
  const caller = text(await read("sts", { Action: "GetCallerIdentity" }), "Arn");
  const [, , , , accountId = "", role = ""] = RoleArn.split(":");
  const params = { Action: "GetRole", RoleName: role.split("/").at(-1) ?? "" };
  const found = await readIn(accountId, "iam", params);
  const document = decodeURIComponent(text(found, "Role", "AssumeRolePolicyDocument"));
  try {
    if (text(found, "Role", "Arn") === RoleArn && isTrusted(document, { arn: caller, externalId })) return undefined;
  } catch (error) {
    return { code: "InternalFailure", message: String(error), status: 500 };
  }
  const message = `User: ${caller} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`;
  return { code: "AccessDenied", message, status: 403 };
};

export const sts: Record<string, Validation> = { AssumeRole: assumeRole };
