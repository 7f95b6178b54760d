import type { PolicyDocument } from "@gantry/aws-facts";
import type { IamRole } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, disappeared, removalStarted } from "../declarations/timestamps.js";
import { type TrustDocument, trustDocument } from "./iam-role.trust.js";

const stringOrList = z.union([z.string(), z.array(z.string())]);

export const iamRole = wireRecord({
  name: "iam_role",
  plural: "iam_roles",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      name: field(z.string(), "app"),
      ...deletableTimestamps,
      disappeared_at: disappeared,
      removal_started_at: removalStarted,
      provisioner_id: uuid.describe("The id in Gantry's tags in AWS"),
      provisioned_id: field(z.string().nullable(), "AROA0123456789ABCDEF0"),
      arn: field(z.string().nullable(), "arn:aws:iam::123456789012:role/app"),
      policy_arn: field(z.string().nullable(), "arn:aws:iam::123456789012:policy/app"),
      account: linkTo("accounts"),
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
  computed: (row: IamRole) => ({
    provisioner_id: row.id,
    policy: row.policy as PolicyDocument | null,
    assume_role_policy_document: row.assumeRolePolicyDocument as unknown as TrustDocument,
    ...tagsOf(row),
  }),
});
