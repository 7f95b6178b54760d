import type { DatabaseServer } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

const hour = field(z.string().regex(/^([01]\d|2[0-3])$/, "must be two digits, from 00 to 23"), "03");
const minute = field(z.string().regex(/^[0-5]\d$/, "must be two digits, from 00 to 59"), "30");
const day = z.enum(["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]);

/** A time of the day, UTC. */
export const timeOfDay = { hour, minute };

/** A backup window as the record shows it. */
const backupWindow = z.object({
  start: z.object(timeOfDay),
  duration: field(z.string(), "0.5", "Hours, as a decimal number"),
});

export const maintenanceWindow = z.object({
  start: z.object({ day, ...timeOfDay }),
  end: z.object({ day, ...timeOfDay }),
});

const pendingChanges = z.object({
  flavor: z.string().optional(),
  version: z.string().optional(),
  storage: z.int().optional(),
  storage_type: z.string().optional(),
  iops: z.int().optional(),
  multi_az: z.boolean().optional(),
  certificate_authority: z.string().optional(),
});

export const databaseServer = wireRecord({
  name: "database_server",
  plural: "database_servers",
  deleted: "deletedAt",
  secret: { field: "password", table: "database_servers" },
  record: z
    .object({
      id: uuid,
      alerts: linkBelow("database-servers", "alerts"),
      firewalls: linkBelow("database-servers", "firewalls"),
      messages: linkBelow("database-servers", "messages"),
      revisions: linkBelow("database-servers", "revisions"),
      snapshots: linkBelow("database-servers", "snapshots"),
      database_service: linkTo("database-services"),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      ...deletableTimestamps,
      endpoint: field(
        z.string().nullable(),
        "postgres://db.example.com:5432",
        "The database's URL, without credentials; null until it exists",
      ),
      engine: field(z.string(), "postgres"),
      flavor: field(z.string(), "t3.medium"),
      location: field(z.string(), "us-east-1", "Zone id"),
      modifiers: z.object({ storage_type: field(z.string(), "gp3"), multi_az: z.boolean() }),
      network: linkTo("networks").nullable(),
      username: field(z.string().nullable(), "gantry"),
      password: field(
        z.string().nullable(),
        "correct horse battery staple",
        "Null in lists, without the scope secrets:read, and for viewers",
      ),
      provisioned_id: field(z.string().nullable(), "gantry-shop-db", "RDS's identifier; null until it exists"),
      replication_source: linkTo("database-servers")
        .nullable()
        .describe("The server that it replicates; null for a master"),
      state: field(
        z.string(),
        "available",
        "As RDS shows it, such as `stopped`; `pending` until the database server is provisioned",
      ),
      storage: field(z.int(), 100, "GB"),
      storage_type: field(z.string(), "gp3"),
      iops: field(z.int().nullable(), 12_000, "Null for those that RDS gives storage of its type and size"),
      storage_encrypted: z.boolean(),
      version: field(z.string(), "16.4"),
      backup_retention_period: field(z.int(), 7, "Days"),
      preferred_maintenance_window: maintenanceWindow,
      backup_window: backupWindow,
      certificate_authority: field(
        z.string().nullable(),
        "rds-ca-rsa2048-g1",
        "The CA of the server's certificate; null until RDS has shown it",
      ),
      pending: field(
        pendingChanges.nullable(),
        null,
        "What RDS changes in the next maintenance window; null if nothing waits",
      ),
      ...tagged,
    })
    .meta({ id: "DatabaseServer" }),
  computed: (row: DatabaseServer, _link, secret) => {
    return {
      modifiers: { storage_type: row.storageType, multi_az: row.multiAz },
      password: secret,
      storage: row.storageGb,
      // Both columns hold the record's shapes.
      preferred_maintenance_window: row.maintenanceWindow as z.input<typeof maintenanceWindow>,
      backup_window: row.backupWindow as z.input<typeof backupWindow>,
      pending: row.pending as z.input<typeof pendingChanges> | null,
      ...tagsOf(row),
    };
  },
});
