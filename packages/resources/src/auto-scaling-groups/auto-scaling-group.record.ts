import type { AutoScalingGroup } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";

export const autoScalingGroup = resource({
  name: "auto_scaling_group",
  plural: "auto_scaling_groups",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      created_at: timestamp,
      deleted_at: timestamp.nullable(),
      environment: z.url(),
      provisioned_id: z.string().nullable().describe("The group's name in AWS; null until it exists"),
      minimum_size: z.int(),
      maximum_size: z.int(),
      desired_capacity: z.int(),
      location_id: z.string().describe("Region id"),
      ...tagged,
    })
    .meta({ id: "AutoScalingGroup" }),
  serialize: (row: AutoScalingGroup, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    deleted_at: isoOrNull(row.deletedAt),
    environment: link("environments", row.environmentId),
    provisioned_id: row.provisionedId,
    minimum_size: row.minimumSize,
    maximum_size: row.maximumSize,
    desired_capacity: row.desiredCapacity,
    location_id: row.region,
    ...tagsOf(row),
  }),
});
