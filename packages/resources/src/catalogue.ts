import { accountFacts } from "./accounts/account.facts.js";
import { addressFacts } from "./addresses/address.facts.js";
import { addressRequestTypes } from "./addresses/address.requests.js";
import { autoScalingGroupFacts } from "./auto-scaling-groups/auto-scaling-group.facts.js";
import { autoScalingGroupRequestTypes } from "./auto-scaling-groups/auto-scaling-group.requests.js";
import { databaseServerSnapshotFacts } from "./database-server-snapshots/database-server-snapshot.facts.js";
import { databaseServerSnapshotRequestTypes } from "./database-server-snapshots/database-server-snapshot.requests.js";
import { databaseServerFacts } from "./database-servers/database-server.facts.js";
import { databaseServerRequestTypes } from "./database-servers/database-server.requests.js";
import { databaseServiceFacts } from "./database-services/database-service.facts.js";
import { databaseServiceRequestTypes } from "./database-services/database-service.requests.js";
import type { ComparedFacts, References, ResourceFacts } from "./declarations/facts.js";
import { driftFacts } from "./drift/drift.facts.js";
import { driftRequestTypes } from "./drift/drift.requests.js";
import { environmentFacts } from "./environments/environment.facts.js";
import { environmentRequestTypes } from "./environments/environment.requests.js";
import { firewallRuleFacts } from "./firewall-rules/firewall-rule.facts.js";
import { firewallRuleRequestTypes } from "./firewall-rules/firewall-rule.requests.js";
import { firewallFacts } from "./firewalls/firewall.facts.js";
import { firewallRequestTypes } from "./firewalls/firewall.requests.js";
import { iamRoleFacts } from "./iam-roles/iam-role.facts.js";
import { iamRoleRequestTypes } from "./iam-roles/iam-role.requests.js";
import { networkFacts } from "./networks/network.facts.js";
import { networkRequestTypes } from "./networks/network.requests.js";
import { providerLocationFacts } from "./provider-locations/provider-location.facts.js";
import { providerLocationRequestTypes } from "./provider-locations/provider-location.requests.js";
import { providerFacts } from "./providers/provider.facts.js";
import { providerRequestTypes } from "./providers/provider.requests.js";
import { serverFacts } from "./servers/server.facts.js";
import { serverRequestTypes } from "./servers/server.requests.js";
import { snapshotFacts } from "./snapshots/snapshot.facts.js";
import { snapshotRequestTypes } from "./snapshots/snapshot.requests.js";
import { subnetFacts } from "./subnets/subnet.facts.js";
import { subnetRequestTypes } from "./subnets/subnet.requests.js";
import { tagRequestTypes } from "./tags/tag.requests.js";
import { volumeFacts } from "./volumes/volume.facts.js";
import { volumeRequestTypes } from "./volumes/volume.requests.js";

/** The facts of each resource by its type. Messages name dependents in this order. */
const facts = {
  account: accountFacts,
  provider: providerFacts,
  provider_location: providerLocationFacts,
  network: networkFacts,
  subnet: subnetFacts,
  iam_role: iamRoleFacts,
  environment: environmentFacts,
  server: serverFacts,
  volume: volumeFacts,
  address: addressFacts,
  snapshot: snapshotFacts,
  firewall: firewallFacts,
  firewall_rule: firewallRuleFacts,
  auto_scaling_group: autoScalingGroupFacts,
  database_service: databaseServiceFacts,
  database_server: databaseServerFacts,
  database_server_snapshot: databaseServerSnapshotFacts,
  drift: driftFacts,
} as const;

/** A resource type, as Requests and the ledger name it. */
export type ResourceType = keyof typeof facts;

/** The facts about the resources that Requests work on. Messages name dependents in this order. */
export const resources: Readonly<Record<ResourceType, ResourceFacts>> = facts satisfies {
  readonly [Type in ResourceType]: { references: References<Type, Exclude<ResourceType, "account">> };
};

/** A resource type whose records a drift scan compares with AWS. */
export type ComparedType = {
  [Type in ResourceType]: (typeof facts)[Type] extends { drift: object } ? Type : never;
}[ResourceType];

/** The columns of a resource type that a drift scan compares. */
export type ComparedColumn<Type extends ComparedType> = (typeof facts)[Type]["drift"]["columns"][number];

/** The facts about the resources that a drift scan compares. */
export const comparedResources: Readonly<Record<ComparedType, ComparedFacts>> = facts;

/** A resource type whose changes are events. */
export type RecordedType = {
  [Type in ResourceType]: (typeof facts)[Type]["events"] extends null ? never : Type;
}[ResourceType];

/** The request types that this version carries out. The compiler asks for a workflow for each. */
export const requestTypes = {
  ...networkRequestTypes,
  ...subnetRequestTypes,
  ...firewallRequestTypes,
  ...firewallRuleRequestTypes,
  ...serverRequestTypes,
  ...snapshotRequestTypes,
  ...volumeRequestTypes,
  ...addressRequestTypes,
  ...databaseServiceRequestTypes,
  ...databaseServerRequestTypes,
  ...databaseServerSnapshotRequestTypes,
  ...environmentRequestTypes,
  ...autoScalingGroupRequestTypes,
  ...providerRequestTypes,
  ...providerLocationRequestTypes,
  ...driftRequestTypes,
  ...iamRoleRequestTypes,
  ...tagRequestTypes,
};

export type RequestType = keyof typeof requestTypes;
