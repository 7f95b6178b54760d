import type { Firewall } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkOrNull, resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const firewall = resource({
  name: "firewall",
  plural: "firewalls",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...deletableTimestamps,
      name: field(z.string(), "shop"),
      location: field(z.string(), "us-east-1", "Region id"),
      provisioned_id: field(
        z.string().nullable(),
        "vpc-0123456789abcdef0",
        "The security group's id; null until it exists",
      ),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      environment: linkTo("environments").nullable(),
      database_service: linkTo("database-services").nullable(),
      rules: linkTo("firewalls", "rules"),
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
