import type { Volume } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, linkOrNull, resource, timestamp } from "../../http/resource.js";

export const volume = resource({
  name: "volume",
  plural: "volumes",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
      disappeared_at: timestamp.nullable().describe("When it was found to be gone from AWS, where nobody asked for it"),
      name: z.string().nullable(),
      mount: z.string().nullable().describe("Where its server mounts it"),
      device: z.string().nullable().describe("How its server is told which disk it is"),
      size: z.int().describe("GB"),
      volume_type: z.string(),
      iops: z.int().nullable(),
      encrypted: z.boolean(),
      location: z.string().describe("Zone id"),
      state: z.string().describe("pending, available, in-use or deleted"),
      provisioned_id: z.string().nullable().describe("AWS's id; null until it was made"),
      account: z.url(),
      provider: z.url(),
      server: z.url().nullable(),
    })
    .meta({ id: "Volume" }),
  serialize: (row: Volume, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    deleted_at: isoOrNull(row.deletedAt),
    disappeared_at: isoOrNull(row.disappearedAt),
    name: row.name,
    mount: row.mount,
    device: row.device,
    size: row.sizeGb,
    volume_type: row.volumeType,
    iops: row.iops,
    encrypted: row.encrypted,
    location: row.location,
    state: row.state,
    provisioned_id: row.provisionedId,
    account: link("accounts", row.accountId),
    provider: link("providers", row.providerId),
    server: linkOrNull(link, "servers", row.serverId),
  }),
});
