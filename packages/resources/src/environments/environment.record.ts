import type { Environment } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linksBelow, linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

/** The collections that an environment links to, each under its own URL. */
const COLLECTIONS = [
  "alerts",
  "applications",
  "database_services",
  "deployments",
  "environment_variables",
  "keypairs",
  "kubey_cluster",
  "logical_databases",
  "requests",
  "server_alerts",
  "servers",
  "snapshots",
] as const;

type Collection = (typeof COLLECTIONS)[number];

// Gantry does not deploy applications, upgrade stacks or run kubey clusters.
const unmanaged = {
  classic: false,
  monitor_url: null,
  service_plan: null,
  available_upgrade_web_uri: null,
  custom_recipes: null,
  vpc_name: null,
  kubey_logical_database_count: null,
  kubey_master_count: 0,
  kubey_node_count: 0,
  upgrade_available: false,
};

const notManaged = z.null().describe("Not supported");

export const environment = wireRecord({
  name: "environment",
  plural: "environments",
  deleted: "deletedAt",
  secret: { field: "internalPrivateKey", table: "environments" },
  record: z
    .object({
      id: field(z.int(), 1),
      account: linkTo("accounts"),
      ...linksBelow("environments", COLLECTIONS),
      classic: z.boolean(),
      ...deletableTimestamps,
      firewall: linkTo("firewalls").nullable().describe("Null until it exists in AWS"),
      auto_scaling_group: linkTo("auto_scaling_groups").nullable(),
      internal_private_key: field(
        z.string().nullable(),
        null,
        "Null in lists, without the scope secrets:read, and for viewers",
      ),
      internal_public_key: field(z.string(), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexample"),
      monitor_url: notManaged,
      service_plan: notManaged,
      available_upgrade_web_uri: notManaged,
      custom_recipes: notManaged,
      vpc_name: notManaged,
      kubey_logical_database_count: notManaged,
      name: field(z.string(), "shop"),
      service_level: field(z.string(), "community"),
      database_backup_interval: field(z.int(), 24, "Hours"),
      database_backup_limit: field(z.int(), 10),
      database_stack: field(z.string(), "postgres16"),
      deploy_method: field(z.string(), "git"),
      encrypted_database_ebs: z.boolean(),
      encrypted_ebs_for_everything: z.boolean(),
      lock_db_version: z.boolean(),
      upgrade_available: z.boolean(),
      framework_env: field(z.string(), "production"),
      language: field(z.string(), "ruby"),
      region: field(z.string(), "us-east-1"),
      release_label: field(z.string(), "stable"),
      stack_name: field(z.string(), "stable-v7"),
      takeover_preference: field(z.string(), "none"),
      username: field(z.string(), "gantry"),
      kubey_master_count: field(z.int(), 0),
      kubey_node_count: field(z.int(), 0),
      snapshot_limit: field(z.int(), 10),
      snapshot_retention: field(z.int(), 7, "Days"),
      network: linkTo("networks").nullable(),
      vpc_provisioned_id: field(z.string().nullable(), "vpc-0123456789abcdef0"),
      ...tagged,
    })
    .meta({ id: "Environment" }),
  computed: (row: Environment, link, secret = null) => {
    const urls = COLLECTIONS.map((name) => [name, link("environments", row.id, name)]);
    return {
      ...(Object.fromEntries(urls) as Record<Collection, string>),
      ...unmanaged,
      internal_private_key: secret,
      ...tagsOf(row),
    };
  },
});
