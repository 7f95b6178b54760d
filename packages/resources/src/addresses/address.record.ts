import type { Address } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const address = wireRecord({
  name: "address",
  plural: "addresses",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...deletableTimestamps,
      ip_address: field(z.string().nullable(), "203.0.113.10", "Null until it exists"),
      location: field(z.string(), "us-east-1", "Region id"),
      scope: z.enum(["vpc"]).describe("Always for use in a network"),
      provisioned_id: field(
        z.string().nullable(),
        "eipalloc-0123456789abcdef0",
        "The allocation's id; null until it exists",
      ),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      server: linkTo("servers").nullable().describe("The server to which it is attached"),
      ...tagged,
    })
    .meta({ id: "Address" }),
  computed: (row: Address) => ({
    scope: "vpc" as const,
    ...tagsOf(row),
  }),
});
