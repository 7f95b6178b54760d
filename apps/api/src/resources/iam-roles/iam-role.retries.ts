import { assertNoDependents } from "../dependents.js";
import { locked, type RetryRules } from "../retry-rule.js";
import { findModifiableRole, valuesBefore } from "./iam-role.modification.js";
import { requireAllowedRole } from "./iam-role.rules.js";

export const iamRoleRetries = {
  provision_iam_role: async ({ caller, db, id }) => {
    const role = await caller.find("iamRole", id);
    await requireAllowedRole(db, await caller.find("provider", role.providerId), role, id);
  },
  modify_iam_role: async ({ caller, db, id, input, changeInput }) => {
    const { to } = input;
    const role = await findModifiableRole(caller, db, id, to.policies?.policyArn ?? null);
    changeInput({ from: valuesBefore(role, to), to });
  },
  deprovision_iam_role: locked("iamRole", (db, { id }) => assertNoDependents(db, "iam_role", id)),
} satisfies RetryRules;
