import type { Address } from "@gantry/db";
import { z } from "zod";
import { linkOrNull, resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const address = resource({
  name: "address",
  plural: "addresses",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...deletableTimestamps,
      ip_address: z.string().nullable().describe("Null until it exists"),
      location: z.string().describe("Region id"),
      scope: z.enum(["vpc"]).describe("Always for use in a network"),
      provisioned_id: z.string().nullable().describe("The allocation's id; null until it exists"),
      account: z.url(),
      provider: z.url(),
      server: z.url().nullable().describe("The server to which it is attached"),
      ...tagged,
    })
    .meta({ id: "Address" }),
  serialize: (row: Address, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    ip_address: row.ipAddress,
    location: row.location,
    scope: "vpc" as const,
    provisioned_id: row.provisionedId,
    account: link("accounts", row.accountId),
    provider: link("providers", row.providerId),
    server: linkOrNull(link, "servers", row.serverId),
    ...tagsOf(row),
  }),
});
