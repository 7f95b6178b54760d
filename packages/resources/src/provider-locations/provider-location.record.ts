import type { ProviderLocation } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { isoOrNull, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const providerLocation = resource({
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
      children: linkTo("provider-locations", "provider-locations"),
      compute_flavors: linkTo("provider-locations", "flavors", "compute"),
    })
    .meta({ id: "ProviderLocation" }),
  serialize: (row: ProviderLocation, link) => ({
    id: row.id,
    ...timestampsOf(row),
    disabled_at: isoOrNull(row.disabledAt),
    disabled_reason: row.disabledReason,
    location_id: row.locationId,
    location_name: row.locationName,
    limits: row.parentId === null ? { servers: row.serverLimit, addresses: row.addressLimit } : {},
    data: { vpc_by_default: row.vpcByDefault },
    provider: link("providers", row.providerId),
    parent: row.parentId && link("provider-locations", row.parentId),
    children: link("provider-locations", row.id, "provider-locations"),
    compute_flavors: link("provider-locations", row.id, "flavors", "compute"),
  }),
});
