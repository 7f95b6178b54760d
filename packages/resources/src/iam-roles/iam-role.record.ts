import type { PolicyDocument } from "@gantry/aws-facts";
import type { IamRole } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { isoOrNull, resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf, removalStarted } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";
import { type TrustDocument, trustDocument } from "./iam-role.trust.js";

const stringOrList = z.union([z.string(), z.array(z.string())]);

export const iamRole = resource({
  name: "iam_role",
  plural: "iam_roles",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "app"),
      ...deletableTimestamps,
      removal_started_at: removalStarted,
      provisioner_id: uuid.describe("The id in Gantry's tags in AWS"),
      provisioned_id: field(z.string().nullable(), "AROA0123456789ABCDEF0"),
      arn: field(z.string().nullable(), "arn:aws:iam::123456789012:role/app"),
      policy_arn: field(z.string().nullable(), "arn:aws:iam::123456789012:policy/app"),
      provider: linkTo("providers"),
      path: field(z.string(), "/"),
      instance_profile: z.boolean(),
      user_managed_policy: z.boolean(),
      policy: z
        .object({
          Version: field(z.string(), "2012-10-17"),
          Statement: z.array(
            z.object({
              Effect: field(z.string(), "Allow"),
              Action: field(stringOrList, "s3:GetObject"),
              Resource: field(stringOrList, "*"),
            }),
          ),
        })
        .nullable(),
      assume_role_policy_document: trustDocument,
      ...tagged,
    })
    .meta({ id: "IamRole" }),
  serialize: (row: IamRole, link) => ({
    id: row.id,
    name: row.name,
    ...deletableTimestampsOf(row),
    removal_started_at: isoOrNull(row.removalStartedAt),
    provisioner_id: row.id,
    provisioned_id: row.provisionedId,
    arn: row.arn,
    policy_arn: row.policyArn,
    provider: link("providers", row.providerId),
    path: row.path,
    instance_profile: row.instanceProfile,
    user_managed_policy: row.userManagedPolicy,
    policy: row.policy as PolicyDocument | null,
    assume_role_policy_document: row.assumeRolePolicyDocument as unknown as TrustDocument,
    ...tagsOf(row),
  }),
});
