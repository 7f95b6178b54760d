import type { Address } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, linkOrNull, resource, timestamp } from "../../http/resource.js";

export const address = resource({
  name: "address",
  plural: "addresses",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
      ip_address: z.string().nullable().describe("Null until it was taken"),
      location: z.string().describe("Region id"),
      provisioned_id: z.string().nullable().describe("The allocation's id; null until it was taken"),
      account: z.url(),
      provider: z.url(),
      server: z.url().nullable().describe("The server that answers to it"),
    })
    .meta({ id: "Address" }),
  serialize: (row: Address, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    deleted_at: isoOrNull(row.deletedAt),
    ip_address: row.ipAddress,
    location: row.location,
    provisioned_id: row.provisionedId,
    account: link("accounts", row.accountId),
    provider: link("providers", row.providerId),
    server: linkOrNull(link, "servers", row.serverId),
  }),
});
