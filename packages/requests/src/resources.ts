import type { Resource, ResourceDefinition } from "./resource-definition.js";

function catalogue<const Rows extends { [Type in keyof Rows]: ResourceDefinition<Type, keyof Rows> }>(
  rows: Rows,
): Rows {
  return rows;
}

const catalogued = catalogue({
  provider: {
    name: "provider",
    collection: "providers",
    id: "integer",
    references: {},
    cloudObject: null,
  },
  provider_location: {
    name: "provider location",
    collection: "provider-locations",
    id: "uuid",
    deletable: false,
    references: { provider: "other", parent: "other" },
    cloudObject: null,
  },
  network: {
    name: "network",
    collection: "networks",
    id: "uuid",
    references: { provider: "parent" },
    cloudObject: { kinds: ["vpc"], column: "provisioned_id" },
  },
  subnet: {
    name: "subnet",
    collection: "subnets",
    id: "uuid",
    references: { network: "parent" },
    cloudObject: { kinds: ["subnet"], column: "provisioned_id" },
  },
  iam_role: {
    name: "IAM role",
    collection: "iam_roles",
    id: "uuid",
    references: { provider: "parent" },
    cloudObject: { kinds: ["role"], column: "provisioned_id" },
  },
  environment: {
    name: "environment",
    collection: "environments",
    id: "integer",
    references: { provider: "parent", network: "parent" },
    cloudObject: null,
  },
  server: {
    name: "server",
    collection: "servers",
    id: "integer",
    references: {
      provider: "parent",
      environment: "parent",
      subnet: "parent",
      iam_role: "parent",
      network: "other",
      snapshot: "other",
    },
    cloudObject: { kinds: ["instance"], column: "provisioned_id" },
    drift: { columns: ["state", "private_hostname", "public_hostname"], goneState: "terminated" },
  },
  volume: {
    name: "volume",
    collection: "volumes",
    id: "integer",
    references: { provider: "parent", server: "whole" },
    cloudObject: { kinds: ["volume"], column: "provisioned_id" },
    drift: { columns: ["state"], goneState: "deleted" },
  },
  address: {
    name: "address",
    collection: "addresses",
    id: "integer",
    references: { provider: "parent" },
    cloudObject: { kinds: ["address"], column: "provisioned_id" },
  },
  snapshot: {
    name: "snapshot",
    collection: "snapshots",
    id: "integer",
    references: { provider: "parent", server: "other", volume: "other" },
    cloudObject: { kinds: ["snapshot"], column: "provisioned_id" },
  },
  firewall: {
    name: "firewall",
    collection: "firewalls",
    id: "integer",
    references: { provider: "other", environment: "whole", database_service: "whole" },
    cloudObject: { kinds: ["security_group"], column: "provisioned_id" },
  },
  firewall_rule: {
    name: "firewall rule",
    collection: "firewall-rules",
    id: "integer",
    references: { firewall: "parent", source_firewall: "other" },
    cloudObject: { kinds: ["security_group_rule"], column: "provisioned_id" },
  },
  auto_scaling_group: {
    name: "auto scaling group",
    collection: "auto_scaling_groups",
    id: "uuid",
    references: { environment: "parent", provider: "other" },
    cloudObject: { kinds: ["auto_scaling_group"], column: "provisioned_id" },
  },
  database_service: {
    name: "database service",
    collection: "database-services",
    id: "uuid",
    references: { provider: "parent", network: "parent", environment: "other" },
    cloudObject: { kinds: ["db_cluster"], column: "cluster_id" },
  },
  database_server: {
    name: "database server",
    collection: "database-servers",
    id: "uuid",
    references: { database_service: "whole", provider: "other" },
    cloudObject: { kinds: ["db_instance"], column: "provisioned_id" },
    drift: { columns: ["state", "endpoint"], goneState: "deleted" },
  },
  database_server_snapshot: {
    name: "database server snapshot",
    collection: "database-server-snapshots",
    id: "uuid",
    references: { provider: "parent", database_server: "parent" },
    cloudObject: { kinds: ["db_snapshot", "db_cluster_snapshot"], column: "provisioned_id" },
  },
  drift: {
    name: "drift",
    collection: "drift",
    id: "uuid",
    deletable: false,
    references: { provider: "other" },
    cloudObject: null,
  },
});

/** A resource type, as Requests and the ledger name it. */
export type ResourceType = keyof typeof catalogued;

/** The facts about the resources that Requests work on. Messages name dependents in this order. */
export const resources: Readonly<Record<ResourceType, Resource>> = catalogued;

type Compared = { [Type in ResourceType]: (typeof catalogued)[Type] extends { drift: infer Drift } ? Drift : never };

/** The columns of a resource type that a drift scan compares with AWS. */
export type ComparedColumn<Type extends ResourceType> = Compared[Type] extends {
  columns: readonly (infer Name extends string)[];
}
  ? Name
  : never;

/** A resource type that a drift scan compares with AWS. */
export type ComparedType = { [Type in ResourceType]: Compared[Type] extends never ? never : Type }[ResourceType];
