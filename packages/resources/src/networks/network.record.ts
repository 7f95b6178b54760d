import type { Network } from "@gantry/db";
import { z } from "zod";
import { EXAMPLE_UUID, field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { removalStarted, timestamp } from "../declarations/timestamps.js";

export const network = wireRecord({
  name: "network",
  plural: "networks",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      created_at: timestamp,
      deleted_at: timestamp.nullable(),
      removal_started_at: removalStarted,
      name: field(z.string().nullable(), "shop", "The tag `Name` of its objects in AWS"),
      cidr: field(z.string(), "10.0.0.0/16"),
      tenancy: field(z.string(), "default"),
      private_subnets: z.boolean().describe("True if it was provisioned with private subnets and a NAT gateway"),
      provisioned_id: field(z.string().nullable(), "vpc-0123456789abcdef0", "The VPC's id; null until it exists"),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      location: field(z.string(), "us-east-1", "Region id"),
      subnets: field(z.url(), `http://127.0.0.1:3000/subnets?network=${EXAMPLE_UUID}`),
      ...tagged,
    })
    .meta({ id: "Network" }),
  computed: (row: Network, link) => ({
    subnets: `${link("subnets")}?network=${row.id}`,
    ...tagsOf(row),
  }),
});
