import type { Network } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { removalStarted } from "../declarations/timestamps.js";

export const network = resource({
  name: "network",
  plural: "networks",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      created_at: timestamp,
      deleted_at: timestamp.nullable(),
      removal_started_at: removalStarted,
      name: z.string().nullable().describe("The tag `Name` of its objects in AWS"),
      cidr: z.string(),
      tenancy: z.string(),
      private_subnets: z.boolean().describe("True if it was provisioned with private subnets and a NAT gateway"),
      provisioned_id: z.string().nullable().describe("The VPC's id; null until it exists"),
      provider: z.url(),
      location: z.string().describe("Region id"),
      subnets: z.url(),
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
