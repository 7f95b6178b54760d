import type { Firewall } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const firewall = wireRecord({
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
        "sg-0123456789abcdef0",
        "The security group's id; null until it exists",
      ),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      environment: linkTo("environments").nullable(),
      database_service: linkTo("database-services").nullable(),
      rules: linkBelow("firewalls", "rules"),
      ...tagged,
    })
    .meta({ id: "Firewall" }),
  computed: (row: Firewall) => ({
    location: row.region,
    ...tagsOf(row),
  }),
});
