import type { DatabaseServerSnapshot } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../../http/resource.js";

export const databaseServerSnapshot = resource({
  name: "database_server_snapshot",
  plural: "database_server_snapshots",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      created_at: timestamp,
      updated_at: timestamp,
      deleted_at: timestamp.nullable(),
      name: z.string(),
      state: z.string().describe("`starting`, then as RDS names it: `creating`, `available`"),
      progress: z.int().describe("Percent"),
      storage: z.int().describe("GB"),
      engine: z.string(),
      version: z.string(),
      location: z.string().describe("Region id"),
      provisioned_id: z.string().nullable().describe("RDS's identifier; null until it was made"),
      database_server: z.url(),
      provider: z.url(),
      account: z.url(),
    })
    .meta({ id: "DatabaseServerSnapshot" }),
  serialize: (row: DatabaseServerSnapshot, link) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
    deleted_at: isoOrNull(row.deletedAt),
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
  }),
});
