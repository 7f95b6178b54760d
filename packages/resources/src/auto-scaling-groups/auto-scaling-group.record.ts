import type { AutoScalingGroup } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { disappeared, timestamp } from "../declarations/timestamps.js";

export const autoScalingGroup = wireRecord({
  name: "auto_scaling_group",
  plural: "auto_scaling_groups",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      created_at: timestamp,
      deleted_at: timestamp.nullable(),
      disappeared_at: disappeared,
      account: linkTo("accounts"),
      environment: linkTo("environments"),
      provisioned_id: field(z.string().nullable(), "gantry-shop", "The group's name in AWS; null until it exists"),
      flavor: field(
        z.string().nullable(),
        "t3.medium",
        "Of the instances that the group launches; null until it exists, and for one from before version 0.3 that has the flavor of its app master",
      ),
      blueprint: linkTo("blueprints")
        .nullable()
        .describe(
          "Its instances resemble its application server; null for the app master",
        ),
      minimum_size: field(z.int(), 1),
      maximum_size: field(z.int(), 4),
      desired_capacity: field(z.int(), 2),
      location_id: field(z.string(), "us-east-1", "Region id"),
      ...tagged,
    })
    .meta({ id: "AutoScalingGroup" }),
  computed: (row: AutoScalingGroup) => ({
    location_id: row.region,
    ...tagsOf(row),
  }),
});
