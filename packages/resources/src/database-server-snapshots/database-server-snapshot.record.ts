import type { DatabaseServerSnapshot } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const databaseServerSnapshot = resource({
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
      provisioned_id: field(z.string().nullable(), "vpc-0123456789abcdef0", "RDS's identifier; null until it exists"),
      database_server: linkTo("database-servers"),
      provider: linkTo("providers"),
      account: linkTo("accounts"),
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
