import type { Firewall } from "@gantry/db";
import { z } from "zod";
import { linkOrNull, resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const firewall = resource({
  name: "firewall",
  plural: "firewalls",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...deletableTimestamps,
      name: z.string(),
      location: z.string().describe("Region id"),
      provisioned_id: z.string().nullable().describe("The security group's id; null until it exists"),
      account: z.url(),
      provider: z.url(),
      environment: z.url().nullable(),
      database_service: z.url().nullable(),
      rules: z.url(),
      ...tagged,
    })
    .meta({ id: "Firewall" }),
  serialize: (row: Firewall, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    name: row.name,
    location: row.region,
    provisioned_id: row.provisionedId,
    account: link("accounts", row.accountId),
    provider: link("providers", row.providerId),
    environment: linkOrNull(link, "environments", row.environmentId),
    database_service: linkOrNull(link, "database-services", row.databaseServiceId),
    rules: link("firewalls", row.id, "rules"),
    ...tagsOf(row),
  }),
});
