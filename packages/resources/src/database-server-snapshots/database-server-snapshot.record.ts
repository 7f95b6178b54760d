import type { DatabaseServerSnapshot } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const databaseServerSnapshot = resource({
  name: "database_server_snapshot",
  plural: "database_server_snapshots",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      ...deletableTimestamps,
      name: z.string(),
      state: z.string().describe("`starting`, then RDS's own states: `creating`, `available`"),
      progress: z.int().describe("Percent"),
      storage: z.int().describe("GB"),
      engine: z.string(),
      version: z.string(),
      location: z.string().describe("Region id"),
      provisioned_id: z.string().nullable().describe("RDS's identifier; null until it exists"),
      database_server: z.url(),
      provider: z.url(),
      account: z.url(),
      ...tagged,
    })
    .meta({ id: "DatabaseServerSnapshot" }),
  serialize: (row: DatabaseServerSnapshot, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    name: row.name,
    state: row.state,
    progress: row.progress,
    storage: row.storageGb,
    engine: row.engine,
    version: row.version,
    location: row.region,
    provisioned_id: row.provisionedId,
    database_server: link("database-servers", row.databaseServerId),
    provider: link("providers", row.providerId),
    account: link("accounts", row.accountId),
    ...tagsOf(row),
  }),
});
