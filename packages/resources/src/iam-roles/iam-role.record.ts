import type { PolicyDocument } from "@gantry/aws-facts";
import type { IamRole } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf, removalStarted } from "../declarations/timestamps.js";
import { type TrustDocument, trustDocument } from "./iam-role.trust.js";

const stringOrList = z.union([z.string(), z.array(z.string())]);

export const iamRole = resource({
  name: "iam_role",
  plural: "iam_roles",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      name: z.string(),
      ...deletableTimestamps,
      removal_started_at: removalStarted,
      provisioner_id: z.uuid().describe("The id in Gantry's tags in AWS"),
      provisioned_id: z.string().nullable(),
      arn: z.string().nullable(),
      policy_arn: z.string().nullable(),
      provider: z.url(),
      path: z.string(),
      instance_profile: z.boolean(),
      user_managed_policy: z.boolean(),
      policy: z
        .object({
          Version: z.string(),
          Statement: z.array(z.object({ Effect: z.string(), Action: stringOrList, Resource: stringOrList })),
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
