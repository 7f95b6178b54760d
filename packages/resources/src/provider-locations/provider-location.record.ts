import type { ProviderLocation } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp, timestamps } from "../declarations/timestamps.js";

export const providerLocation = wireRecord({
  name: "provider_location",
  plural: "provider_locations",
  record: z
    .object({
      id: uuid,
      ...timestamps,
      disabled_at: timestamp.nullable(),
      disabled_reason: field(
        z.string().nullable(),
        "its account disabled it",
        "Why AWS denies the provider access to the region",
      ),
      location_id: field(z.string(), "us-east-1", "Region or zone id"),
      location_name: field(z.string(), "US East (N. Virginia)"),
      limits: z
        .object({ servers: field(z.int().nullable(), 20), addresses: field(z.int().nullable(), 5) })
        .partial()
        .describe("Null if there is no limit; empty for zones"),
      data: z.object({ vpc_by_default: z.boolean() }),
      provider: linkTo("providers"),
      parent: linkTo("provider-locations").nullable().describe("The region of a zone"),
      children: linkBelow("provider-locations", "provider-locations"),
      compute_flavors: linkBelow("provider-locations", "flavors", "compute"),
    })
    .meta({ id: "ProviderLocation" }),
  computed: (row: ProviderLocation, link) => ({
    limits: row.parentId === null ? { servers: row.serverLimit, addresses: row.addressLimit } : {},
    data: { vpc_by_default: row.vpcByDefault },
    children: link("provider-locations", row.id, "provider-locations"),
    compute_flavors: link("provider-locations", row.id, "flavors", "compute"),
  }),
});
