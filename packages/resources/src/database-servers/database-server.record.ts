import type { DatabaseServer } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

const hour = z.string().regex(/^([01]\d|2[0-3])$/, "must be two digits, from 00 to 23");
const minute = z.string().regex(/^[0-5]\d$/, "must be two digits, from 00 to 59");
const day = z.enum(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

/** A time of the day, UTC. */
export const timeOfDay = { hour, minute };

/** A backup window as the record shows it. */
const backupWindow = z.object({
  start: z.object(timeOfDay),
  duration: z.string().describe("Hours, as a decimal number"),
});

export const maintenanceWindow = z.object({
  start: z.object({ day, ...timeOfDay }),
  end: z.object({ day, ...timeOfDay }),
});

export const databaseServer = resource({
  name: "database_server",
  plural: "database_servers",
  deleted: "deletedAt",
  secret: { field: "password", table: "database_servers" },
  record: z
    .object({
      id: z.uuid(),
      alerts: z.url(),
      firewalls: z.url(),
      messages: z.url(),
      revisions: z.url(),
      snapshots: z.url(),
      database_service: z.url(),
      provider: z.url(),
      ...deletableTimestamps,
      endpoint: z.string().nullable().describe("The database's URL, without credentials; null until it exists"),
      engine: z.string(),
      flavor: z.string(),
      location: z.string().describe("Zone id"),
      modifiers: z.object({ storage_type: z.string(), multi_az: z.boolean() }),
      network: z.url().nullable(),
      username: z.string().nullable(),
      password: z.string().nullable().describe("Null in lists, without the scope secrets:read, and for viewers"),
      provisioned_id: z.string().nullable().describe("RDS's identifier; null until it exists"),
      replication_source: z.url().nullable().describe("The server that it replicates; null for a master"),
      storage: z.int().describe("GB"),
      storage_type: z.string(),
      storage_encrypted: z.boolean(),
      version: z.string(),
      backup_retention_period: z.int().describe("Days"),
      preferred_maintenance_window: maintenanceWindow,
      backup_window: backupWindow,
      ...tagged,
    })
    .meta({ id: "DatabaseServer" }),
  serialize: (row: DatabaseServer, link, secret = null) => {
    const own = (part: string) => link("database-servers", row.id, part);
    return {
      id: row.id,
      alerts: own("alerts"),
      firewalls: own("firewalls"),
      messages: own("messages"),
      revisions: own("revisions"),
      snapshots: own("snapshots"),
      database_service: link("database-services", row.databaseServiceId),
      provider: link("providers", row.providerId),
      ...deletableTimestampsOf(row),
      endpoint: row.endpoint,
      engine: row.engine,
      flavor: row.flavor,
      location: row.location,
      modifiers: { storage_type: row.storageType, multi_az: row.multiAz },
      network: row.networkId && link("networks", row.networkId),
      username: row.username,
      password: secret,
      provisioned_id: row.provisionedId,
      replication_source: row.replicationSourceId && link("database-servers", row.replicationSourceId),
      storage: row.storageGb,
      storage_type: row.storageType,
      storage_encrypted: row.storageEncrypted,
      version: row.version,
      backup_retention_period: row.backupRetentionPeriod,
      // Both columns hold the record's shapes.
      preferred_maintenance_window: row.maintenanceWindow as z.input<typeof maintenanceWindow>,
      backup_window: row.backupWindow as z.input<typeof backupWindow>,
      ...tagsOf(row),
    };
  },
});
