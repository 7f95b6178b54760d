import type { Network } from "@gantry/db";
import { z } from "zod";
import { EXAMPLE_UUID, field, uuid } from "../declarations/fields.js";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { removalStarted } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const network = resource({
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
      provider: linkTo("providers"),
      location: field(z.string(), "us-east-1", "Region id"),
      subnets: field(z.url(), `http://127.0.0.1:3000/subnets?network=${EXAMPLE_UUID}`),
      ...tagged,
    })
    .meta({ id: "Network" }),
  serialize: (row: Network, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    deleted_at: isoOrNull(row.deletedAt),
    removal_started_at: isoOrNull(row.removalStartedAt),
    name: row.name,
    cidr: row.cidr,
    tenancy: row.tenancy,
    private_subnets: row.privateSubnets,
    provisioned_id: row.provisionedId,
    provider: link("providers", row.providerId),
    location: row.location,
    subnets: `${link("subnets")}?network=${row.id}`,
    ...tagsOf(row),
  }),
});
