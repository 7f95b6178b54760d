import type { Volume } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, linkOrNull, resource, timestamp } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const volume = resource({
  name: "volume",
  plural: "volumes",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...deletableTimestamps,
      disappeared_at: timestamp
        .nullable()
        .describe("When Gantry found that it had disappeared from AWS without a Request"),
      name: z.string().nullable(),
      mount: z.string().nullable().describe("The path at which its server mounts it"),
      device: z.string().nullable().describe("The device name on its server"),
      size: z.int().describe("GB"),
      volume_type: z.string(),
      iops: z.int().nullable(),
      throughput: z.int().nullable().describe("MiB/s; null for AWS's default"),
      encrypted: z.boolean(),
      location: z.string().describe("Zone id"),
      state: z.string().describe("pending, available, in-use or deleted"),
      provisioned_id: z.string().nullable().describe("The id in AWS; null until it exists"),
      account: z.url(),
      provider: z.url(),
      server: z.url().nullable(),
      ...tagged,
    })
    .meta({ id: "Volume" }),
  serialize: (row: Volume, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    disappeared_at: isoOrNull(row.disappearedAt),
    name: row.name,
    mount: row.mount,
    device: row.device,
    size: row.sizeGb,
    volume_type: row.volumeType,
    iops: row.iops,
    throughput: row.throughput,
    encrypted: row.encrypted,
    location: row.location,
    state: row.state,
    provisioned_id: row.provisionedId,
    account: link("accounts", row.accountId),
    provider: link("providers", row.providerId),
    server: linkOrNull(link, "servers", row.serverId),
    ...tagsOf(row),
  }),
});
