import type { ComparedFacts, FactsOf, ResourceFacts } from "./declarations/facts.js";

function catalogue<const Rows extends { [Type in keyof Rows]: FactsOf<Type, keyof Rows> }>(rows: Rows): Rows {
  return rows;
}

const catalogued = catalogue({
  account: {
    collection: "accounts",
    id: "uuid",
    deletable: false,
    references: {},
    cloudObject: null,
  },
  provider: {
    collection: "providers",
    id: "integer",
    references: {},
    cloudObject: null,
  },
  provider_location: {
    collection: "provider-locations",
    id: "uuid",
    deletable: false,
    references: { provider: "other", parent: "other" },
    cloudObject: null,
  },
  network: {
    collection: "networks",
    id: "uuid",
    references: { provider: "parent" },
    cloudObject: { kinds: ["vpc"], column: "provisioned_id" },
    removedInParts: true,
    tagged: true,
    nameTag: "name",
  },
  subnet: {
    collection: "subnets",
    id: "uuid",
    references: { network: "parent" },
    cloudObject: { kinds: ["subnet"], column: "provisioned_id" },
    heldObject: { kinds: ["nat_gateway"], column: "nat_gateway_id" },
    removedInParts: true,
    tagged: true,
  },
  iam_role: {
    name: "IAM role",
    collection: "iam_roles",
    id: "uuid",
    references: { provider: "parent" },
    cloudObject: { kinds: ["role"], column: "provisioned_id" },
    removedInParts: true,
    tagged: true,
  },
  environment: {
    collection: "environments",
    id: "integer",
    references: { provider: "parent", network: "parent" },
    cloudObject: null,
    tagged: true,
  },
  server: {
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
    heldObject: { kinds: ["image"], column: "image_id" },
    drift: { columns: ["state", "private_hostname", "public_hostname"], goneState: "terminated" },
    tagged: true,
  },
  volume: {
    collection: "volumes",
    id: "integer",
    references: { provider: "parent", server: "whole" },
    cloudObject: { kinds: ["volume"], column: "provisioned_id" },
    drift: { columns: ["state"], goneState: "deleted" },
    tagged: true,
  },
  address: {
    collection: "addresses",
    id: "integer",
    references: { provider: "parent" },
    cloudObject: { kinds: ["address"], column: "provisioned_id" },
    tagged: true,
  },
  snapshot: {
    collection: "snapshots",
    id: "integer",
    references: { provider: "parent", server: "other", volume: "other" },
    cloudObject: { kinds: ["snapshot"], column: "provisioned_id" },
    tagged: true,
  },
  firewall: {
    collection: "firewalls",
    id: "integer",
    references: { provider: "other", environment: "whole", database_service: "whole" },
    cloudObject: { kinds: ["security_group"], column: "provisioned_id" },
    tagged: true,
  },
  firewall_rule: {
    collection: "firewall-rules",
    id: "integer",
    references: { firewall: "parent", source_firewall: "other" },
    cloudObject: { kinds: ["security_group_rule"], column: "provisioned_id" },
  },
  auto_scaling_group: {
    collection: "auto_scaling_groups",
    id: "uuid",
    references: { environment: "parent", provider: "other" },
    cloudObject: { kinds: ["auto_scaling_group"], column: "provisioned_id" },
    tagged: true,
  },
  database_service: {
    collection: "database-services",
    id: "uuid",
    references: { provider: "parent", network: "parent", environment: "other" },
    cloudObject: { kinds: ["db_cluster"], column: "cluster_id" },
    tagged: true,
  },
  database_server: {
    collection: "database-servers",
    id: "uuid",
    references: { database_service: "whole", provider: "other" },
    cloudObject: { kinds: ["db_instance"], column: "provisioned_id" },
    drift: { columns: ["state", "endpoint", "version"], goneState: "deleted" },
    tagged: true,
  },
  database_server_snapshot: {
    collection: "database-server-snapshots",
    id: "uuid",
    references: { provider: "parent", database_server: "parent" },
    cloudObject: { kinds: ["db_snapshot", "db_cluster_snapshot"], column: "provisioned_id" },
    tagged: true,
  },
  drift: {
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
export const resources: Readonly<Record<ResourceType, ResourceFacts>> = catalogued;

/** A resource type whose records a drift scan compares with AWS. */
export type ComparedType = {
  [Type in ResourceType]: (typeof catalogued)[Type] extends { drift: object } ? Type : never;
}[ResourceType];

/** The columns of a resource type that a drift scan compares. */
export type ComparedColumn<Type extends ComparedType> = (typeof catalogued)[Type]["drift"]["columns"][number];

/** The facts about the resources that a drift scan compares. */
export const comparedResources: Readonly<Record<ComparedType, ComparedFacts>> = catalogued;
