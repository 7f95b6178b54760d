import { randomBytes } from "node:crypto";
import { IAM_POLICIES } from "@gantry/aws-facts";
import { insertInto } from "@gantry/db";
import { EC2_TRUST, field, iamRole, trustDocument } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { integerId } from "../../http/input/references.js";
import { references, text } from "../../http/lists/filters.js";
import { ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { assertNoDependents } from "../dependents.js";
import { listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { findRoleModification, plannedRoleChanges, roleChangesInput } from "./iam-role.modification.js";
import { policyArn, policyName, requireAllowedRole } from "./iam-role.rules.js";

// IAM's own rules for names and paths.
const NAME = /^[\w+=,.@-]{1,64}$/;
const RESERVED_NAME = /^(AWSServiceRoleFor|AWSReservedSSO_|OrganizationAccountAccessRole$|AWSControlTower)/i;
const RESERVED_PATH = /^\/(aws-service-role|aws-reserved|service-role)\//i;
const PATH = /^\/([\w+=,.@-]+\/)*$/;

const roleInput = strict({
  assume_role_policy_document: trustDocument.default(EC2_TRUST),
  instance_profile: z.boolean().default(true),
  name: field(
    z
      .string()
      .regex(NAME, "must be 1 to 64 characters: letters, digits and +=,.@_-")
      .refine((name) => !RESERVED_NAME.test(name), "is a name that AWS reserves for its own roles")
      .optional(),
    "shop",
  ),
  path: field(
    z
      .string()
      .max(512)
      .regex(PATH, "must start and end with /")
      .refine((path) => !/\/\.{1,2}\//.test(path), "must not contain . or .. between slashes")
      .refine((path) => !RESERVED_PATH.test(path), "is a path that AWS reserves for its own roles")
      .default("/"),
    "/",
  ),
  policy: policyName.optional(),
  policy_arn: field(policyArn.optional(), "arn:aws:iam::123456789012:policy/app"),
  user_managed_policy: z.boolean().default(false),
  tags: ownTags,
}).prefault({});

export const iamRoleEndpoints = [
  endpoint({
    route: "POST /iam_roles",
    summary: "Provision an IAM role",
    access: "admin",
    body: strict({ provider: integerId("providers"), iam_role: roleInput }),
    transaction: true,
    reply: requested("provision_iam_role"),
    handle: async ({ body, caller, db, createRequest }) => {
      const provider = await caller.find("provider", body.provider);
      const role = body.iam_role;
      if (role.policy && role.policy_arn) throw invalid("iam_role.policy_arn", "cannot be combined with policy");
      if (role.user_managed_policy && !role.policy)
        throw invalid("iam_role.policy", "is required for a user-managed policy");
      const name = role.name ?? `gantry-${randomBytes(4).toString("hex")}`;
      const policyArn = role.policy_arn ?? null;
      await requireAllowedRole(db, provider, { name, policyArn });
      const { accountId, id: providerId } = provider;
      const id = uuidv7();
      const row = {
        id,
        accountId,
        providerId,
        name,
        path: role.path,
        tags: role.tags,
        instanceProfile: role.instance_profile,
        userManagedPolicy: role.user_managed_policy,
        policyArn,
        assumeRolePolicyDocument: role.assume_role_policy_document,
        ...(role.policy && { policy: IAM_POLICIES[role.policy] as object }),
      };
      return createRequest("provision_iam_role", {
        accountId,
        resource: { type: "iam_role", id },
        input: {},
        rows: [insertInto("iam_roles", row)],
      });
    },
  }),

  endpoint({
    route: "POST /iam_roles/:role_id/modify",
    summary: "Give an IAM role another policy or trust policy, with no moment without the permissions that both have",
    access: "admin",
    body: strict({ iam_role: roleChangesInput }),
    transaction: true,
    reply: requested("modify_iam_role"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { role, input } = await findRoleModification(caller, db, params.role_id, body.iam_role);
      const { id, accountId } = role;
      return createRequest("modify_iam_role", {
        accountId,
        resource: { type: "iam_role", id },
        input,
        changes: async () => ({ changes: await plannedRoleChanges(db, role, input) }),
      });
    },
  }),

  removeByRequest("DELETE /iam_roles/:role_id", {
    summary: "Deprovision an IAM role",
    access: "admin",
    type: "iam_role",
    request: "deprovision_iam_role",
    check: (db, { id }) => assertNoDependents(db, "iam_role", id),
  }),

  showRecord("GET /iam_roles/:role_id", "Show an IAM role", one(iamRole), "iamRole"),

  listRecords(
    "GET /iam_roles",
    "List IAM roles",
    many(iamRole, {
      filters: { provider: references("provider", "provider_id"), provisioned_id: text, name: text },
    }),
    "iamRole",
  ),
];
