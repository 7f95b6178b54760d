import type { Volume } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, disappeared } from "../declarations/timestamps.js";

export const volume = wireRecord({
  name: "volume",
  plural: "volumes",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...deletableTimestamps,
      disappeared_at: disappeared,
      name: field(z.string().nullable(), "shop"),
      mount: field(z.string().nullable(), "/data", "The path at which its server mounts it"),
      device: field(z.string().nullable(), "/dev/sdf", "The device name on its server"),
      size: field(z.int(), 25, "GB"),
      file_system_size: field(
        z.int().nullable(),
        25,
        "GB that its file system fills, as its server reports; null if Gantry does not know",
      ),
      volume_type: field(z.string(), "gp3"),
      iops: field(z.int().nullable(), 3000),
      throughput: field(z.int().nullable(), 125, "MiB/s; null for AWS's default"),
      encrypted: z.boolean(),
      location: field(z.string(), "us-east-1", "Zone id"),
      state: field(z.string(), "running", "pending, available, in-use or deleted"),
      provisioned_id: field(z.string().nullable(), "vol-0123456789abcdef0", "The id in AWS; null until it exists"),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      server: linkTo("servers").nullable(),
      ...tagged,
    })
    .meta({ id: "Volume" }),
  computed: (row: Volume) => ({
    size: row.sizeGb,
    file_system_size: row.fileSystemGb,
    ...tagsOf(row),
  }),
});
