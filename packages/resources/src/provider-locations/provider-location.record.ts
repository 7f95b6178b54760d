import type { ProviderLocation } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const providerLocation = resource({
  name: "provider_location",
  plural: "provider_locations",
  record: z
    .object({
      id: z.uuid(),
      ...timestamps,
      disabled_at: timestamp.nullable(),
      disabled_reason: z.string().nullable().describe("Why AWS denies the provider access to the region"),
      location_id: z.string().describe("Region or zone id"),
      location_name: z.string(),
      limits: z
        .object({ servers: z.int().nullable(), addresses: z.int().nullable() })
        .partial()
        .describe("Null if there is no limit; empty for zones"),
      data: z.object({ vpc_by_default: z.boolean() }),
      provider: z.url(),
      parent: z.url().nullable().describe("The region of a zone"),
      children: z.url(),
      compute_flavors: z.url(),
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
