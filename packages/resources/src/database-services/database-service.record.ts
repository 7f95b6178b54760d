import type { DatabaseService } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const databaseService = resource({
  name: "database_service",
  plural: "database_services",
  deleted: "deletedAt",
  secret: { field: "password", table: "database_services" },
  record: z
    .object({
      id: z.uuid(),
      alerts: z.url(),
      databases: z.url(),
      messages: z.url(),
      requests: z.url(),
      servers: z.url(),
      snapshots: z.url(),
      service_plan: z.url(),
      ...deletableTimestamps,
      email_alert_level: z.int().min(1).max(3),
      engine: z.string(),
      db_engine_type: z.string(),
      location: z.string().describe("Region id"),
      name: z.string(),
      network: z.url().nullable(),
      notes: z.string().nullable(),
      username: z.string().nullable(),
      password: z.string().nullable().describe("Null in lists, without the scope secrets:read, and for viewers"),
      provider: z.url(),
      service_level: z.string(),
      version: z.string(),
      db_master_multi_az: z.boolean().nullable(),
      db_master_flavor: z.string(),
      db_replica_count: z.int(),
      connected_kubey_cluster_count: z.int(),
      connected_kubey_environments: z.url(),
      vpc_name: z.string().nullable(),
      vpc_provisioned_id: z.string().nullable(),
      ...tagged,
    })
    .meta({ id: "DatabaseService" }),
  serialize: (row: DatabaseService, link, secret = null) => {
    const own = (part: string) => link("database-services", row.id, part);
    return {
      id: row.id,
      alerts: own("alerts"),
      databases: own("databases"),
      messages: own("messages"),
      requests: own("requests"),
      servers: own("servers"),
      snapshots: own("snapshots"),
      service_plan: link("service-plans", row.serviceLevel),
      ...deletableTimestampsOf(row),
      email_alert_level: row.emailAlertLevel,
      engine: row.engine,
      db_engine_type: row.engine,
      location: row.region,
      name: row.name,
      network: row.networkId && link("networks", row.networkId),
      notes: row.notes,
      username: row.username,
      password: secret,
      provider: link("providers", row.providerId),
      service_level: row.serviceLevel,
      version: row.version,
      db_master_multi_az: row.masterMultiAz,
      db_master_flavor: row.masterFlavor,
      db_replica_count: row.replicaCount,
      connected_kubey_cluster_count: 0,
      connected_kubey_environments: own("connected_kubey_environments"),
      vpc_name: row.vpcName,
      vpc_provisioned_id: row.vpcProvisionedId,
      ...tagsOf(row),
    };
  },
});
