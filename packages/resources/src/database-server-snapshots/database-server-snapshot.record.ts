import type { DatabaseServerSnapshot } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const databaseServerSnapshot = wireRecord({
  name: "database_server_snapshot",
  plural: "database_server_snapshots",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      ...deletableTimestamps,
      name: field(z.string(), "shop"),
      state: field(z.string(), "running", "`starting`, then RDS's own states: `creating`, `available`"),
      progress: field(z.int(), 0, "Percent"),
      storage: field(z.int(), 100, "GB"),
      engine: field(z.string(), "postgres"),
      version: field(z.string(), "16.4"),
      location: field(z.string(), "us-east-1", "Region id"),
      provisioned_id: field(z.string().nullable(), "rds:shop-2026-11-24", "RDS's identifier; null until it exists"),
      database_server: linkTo("database-servers"),
      provider: linkTo("providers"),
      account: linkTo("accounts"),
      ...tagged,
    })
    .meta({ id: "DatabaseServerSnapshot" }),
  computed: (row: DatabaseServerSnapshot) => ({
    storage: row.storageGb,
    location: row.region,
    ...tagsOf(row),
  }),
});
