import type { DatabaseService } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const databaseService = wireRecord({
  name: "database_service",
  plural: "database_services",
  deleted: "deletedAt",
  secret: { field: "password", table: "database_services" },
  record: z
    .object({
      id: uuid,
      alerts: linkBelow("database-services", "alerts"),
      databases: linkBelow("database-services", "databases"),
      messages: linkBelow("database-services", "messages"),
      requests: linkBelow("database-services", "requests"),
      servers: linkBelow("database-services", "servers"),
      snapshots: linkBelow("database-services", "snapshots"),
      service_plan: linkTo("service-plans"),
      ...deletableTimestamps,
      email_alert_level: field(z.int().min(1).max(3), 1),
      engine: field(z.string(), "postgres"),
      db_engine_type: field(z.string(), "postgres"),
      location: field(z.string(), "us-east-1", "Region id"),
      name: field(z.string(), "shop"),
      network: linkTo("networks").nullable(),
      notes: field(z.string().nullable(), "the database of shop"),
      username: field(z.string().nullable(), "gantry"),
      password: field(
        z.string().nullable(),
        "correct horse battery staple",
        "Null in lists, without the scope secrets:read, and for viewers",
      ),
      account: linkTo("accounts"),
      provider: linkTo("providers"),
      service_level: field(z.string(), "community"),
      version: field(z.string(), "16.4"),
      db_master_multi_az: z.boolean().nullable(),
      db_master_flavor: field(z.string(), "t3.medium"),
      db_replica_count: field(z.int(), 0),
      deletion_protection: z.boolean().describe("True if a removal of the database is refused"),
      connected_kubey_cluster_count: field(z.int(), 0),
      connected_kubey_environments: linkBelow("database-services", "connected_kubey_environments"),
      vpc_name: field(z.string().nullable(), "shop"),
      vpc_provisioned_id: field(z.string().nullable(), "vpc-0123456789abcdef0"),
      ...tagged,
    })
    .meta({ id: "DatabaseService" }),
  computed: (row: DatabaseService, link, secret = null) => {
    return {
      service_plan: link("service-plans", row.serviceLevel),
      db_engine_type: row.engine,
      location: row.region,
      password: secret,
      db_master_multi_az: row.masterMultiAz,
      db_master_flavor: row.masterFlavor,
      db_replica_count: row.replicaCount,
      connected_kubey_cluster_count: 0,
      ...tagsOf(row),
    };
  },
});
