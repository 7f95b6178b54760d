import type { DatabaseStorageType } from "@gantry/aws-facts";
import type { Row, Server, Tx } from "@gantry/db";
import type { InputOf, RequestType, ServerSpec } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import type { Caller, Owned } from "../../http/auth/caller.js";
import { conflict } from "../../http/errors/errors.js";
import { requiresEncryption } from "../accounts/account.encryption.js";
import * as addresses from "../addresses/address.rules.js";
import { findAppMaster, requireOrder } from "../auto-scaling-groups/auto-scaling-group.rules.js";
import { findServerToSnapshot } from "../database-server-snapshots/database-server-snapshot.rules.js";
import { requireAllowedReplica, requireRemovableReplica } from "../database-servers/database-server.replicas.js";
import { findMaster, requireAllowedDatabase, requireFreeName } from "../database-services/database-service.rules.js";
import { assertNoDependents } from "../dependents.js";
import { findDestroyableEnvironment, findIdleEnvironment } from "../environments/environment.rules.js";
import { requireAllowedRule } from "../firewall-rules/firewall-rule.rules.js";
import { requireAllowedRole } from "../iam-roles/iam-role.rules.js";
import { findUsableProvider, findZone, requireUsable } from "../providers/provider.rules.js";
import { requireSharedAllowed } from "../providers/shared-provider.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { requireAllowedServers } from "../servers/server.creation.js";
import { requireAddressFor } from "../servers/server.references.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { findProvisionedServer, findUpdatableServer, requireRemovableServer } from "../servers/server.rules.js";
import { requireCreatableVolumes } from "../servers/server.volumes.js";
import { requireUnused as requireUnusedSnapshot } from "../snapshot-use.js";
import { requireAllowedSubnet, requireUnused as requireUnusedSubnet } from "../subnets/subnet.rules.js";
import * as volumes from "../volumes/volume.rules.js";

interface Retry<Type extends RequestType> {
  caller: Caller;
  db: Tx;
  env: Env;
  /** The id of the record on which the failed Request worked. */
  id: string;
  input: InputOf<Type>;
  /** Lets the retry have another input than the failed Request. */
  changeInput(input: InputOf<Type>): void;
}

/**
 * What a retry requires of today's caller, records and settings: the rules of the endpoint that created the failed
 * Request. It throws what they throw, and locks rows in the same order.
 */
type Rule<Type extends RequestType> = (retry: Retry<Type>) => Promise<unknown>;

/** For types without further rules: every retry already checks the access, the record, and what that needs. */
const noFurtherRules = async (): Promise<void> => {};

/** The rule of the failed Request's record, which stays locked until the transaction ends. */
function locked<M extends Owned>(model: M, rule: (db: Tx, row: Row<M>) => Promise<void>): Rule<RequestType> {
  return async ({ caller, db, id }) => rule(db, await caller.find(model, id, "update"));
}

const idleEnvironment: Rule<RequestType> = ({ caller, db, id }) => findIdleEnvironment(caller, db, id);

/** The rules by type; null if no endpoint creates the type, or a Request of it is not retried. */
export const RETRY_RULES: { readonly [Type in RequestType]: Rule<Type> | null } = {
  provision_provider: noFurtherRules,
  provision_shared_provider: async ({ env }) => requireSharedAllowed(env),
  cancel_provider: async ({ caller, db, id }) => {
    const { cancelledAt } = await caller.find("provider", id, "update");
    if (cancelledAt) throw conflict(`provider ${id} was already cancelled`);
    await assertNoDependents(db, "provider", id);
  },
  discover_provider_locations: async ({ caller, id }) => requireUsable(await caller.find("provider", id)),
  discover_provider_location: async ({ caller, id }) => {
    const { providerId } = await caller.find("providerLocation", id);
    requireUsable(await caller.find("provider", providerId));
  },
  replace_provider_credentials: null,
  check_provider: async ({ caller, id, input }) => {
    for (const region of input.regions) await findUsableProvider(caller, Number(id), region, "region");
  },

  provision_network: async ({ caller, id }) => {
    const { providerId, location } = await caller.find("network", id);
    await findUsableProvider(caller, providerId, location, "network.location");
  },
  deprovision_network: locked("network", (db, { id }) => assertNoDependents(db, "network", id)),
  provision_subnet: async ({ caller, db, id }) => {
    const subnet = await caller.find("subnet", id);
    await requireAllowedSubnet(db, await caller.find("network", subnet.networkId, "update"), subnet, id);
  },
  deprovision_subnet: locked("subnet", requireUnusedSubnet),
  provision_default_firewall: noFurtherRules,
  provision_firewall_rule: async ({ caller, db, id }) => {
    const rule = await caller.find("firewallRule", id);
    await requireAllowedRule(caller, db, await caller.find("firewall", rule.firewallId, "share"), rule, rule.id);
  },
  deprovision_firewall_rule: noFurtherRules,
  provision_iam_role: async ({ caller, db, id }) => {
    const role = await caller.find("iamRole", id);
    await requireAllowedRole(db, await caller.find("provider", role.providerId), role, id);
  },
  deprovision_iam_role: locked("iamRole", (db, { id }) => assertNoDependents(db, "iam_role", id)),

  start_environment: null,
  configure_environment: idleEnvironment,
  deprovision_environment: idleEnvironment,
  destroy_environment: async ({ caller, db, id }) => findDestroyableEnvironment(caller, db, id),
  provision_auto_scaling_group: async ({ caller, db, env, id, changeInput }) => {
    requireReachableReports(env);
    const { environmentId } = await caller.find("autoScalingGroup", id);
    const environment = await caller.find("environment", environmentId, "update");
    changeInput({ serverId: (await findAppMaster(caller, db, environment, id)).id });
  },
  update_auto_scaling_group: async ({ caller, id, input }) => {
    requireProvisioned("auto_scaling_group", await caller.find("autoScalingGroup", id, "update"));
    const { minimumSize, maximumSize, desiredCapacity } = input;
    requireOrder({ minimum_size: minimumSize, maximum_size: maximumSize, desired_capacity: desiredCapacity });
  },
  deprovision_auto_scaling_group: noFurtherRules,

  provision_server: async ({ caller, db, env, id, input }) => {
    requireReachableReports(env);
    const server = await caller.find("server", id);
    const environment = await caller.find("environment", server.environmentId, "update");
    const spec = await specOf(db, server);
    requireCreatableVolumes(spec);
    const { servers } = await requireAllowedServers(db, environment, [spec], server.deletedAt ? undefined : server.id);
    const { providerId, region, location: zone } = server;
    await findZone(db, { providerId, region, zone }, "server.location");
    if (input.addressId !== null) {
      const isPrivate = servers.some(({ placement }) => placement.isPrivate);
      await requireAddressFor(db, environment, input.addressId, isPrivate, server.id);
    }
    // As for a new server, whose disks are encrypted by default.
    if (await requiresEncryption(db, server.accountId))
      await db.volume.updateMany({
        where: { serverId: server.id, provisionedId: null, encrypted: false },
        data: { encrypted: true },
      });
  },
  deprovision_server: async ({ caller, db, id, input }) => {
    const { environmentId } = await caller.find("server", id);
    await caller.find("environment", environmentId, "update");
    await requireRemovableServer(db, await caller.find("server", id, "update"), input);
  },
  instance_update: async ({ caller, id, input }) => findUpdatableServer(caller, id, input.action),
  discover_server: async ({ caller, id }) => findProvisionedServer(caller, id),
  snapshot_server: null,
  deprovision_snapshot_request: locked("snapshot", requireUnusedSnapshot),
  volume_provision: async ({ caller, db, id }) => {
    const { accountId, providerId, location, encrypted, fromSnapshot } = await caller.find("volume", id);
    const provider = await caller.find("provider", providerId, "share");
    const snapshot = fromSnapshot
      ? await db.snapshot.findFirst({ where: { accountId, provisionedId: fromSnapshot } })
      : undefined;
    if (snapshot === null)
      throw conflict(`snapshot ${fromSnapshot} that volume ${id} is restored from no longer exists`);
    await volumes.requireAllowedVolume(db, provider, { location, snapshotId: snapshot?.id, encrypted });
  },
  attach_volume: async ({ caller, db, id, input, changeInput }) => {
    const { serverId, device } = await volumes.findAttachment(caller, db, id, input.serverId);
    changeInput({ serverId, device });
  },
  detach_volume: async ({ caller, db, id }) => volumes.findDetachableVolume(caller, db, id),
  deprovision_volume: locked("volume", volumes.requireDetached),
  address_provision: async ({ caller, db, id }) => {
    const { providerId, location, deletedAt } = await caller.find("address", id);
    await addresses.requireAllowedAddress(caller, db, providerId, location, deletedAt ? 1 : 0);
  },
  attach_address: async ({ caller, db, id, input }) => addresses.findAttachment(caller, db, id, input.serverId, true),
  detach_address: async ({ caller, db, id }) => addresses.findDetachableAddress(caller, db, id),
  deprovision_address_request: locked("address", addresses.requireDetached),

  provision_database_service: async ({ caller, db, id }) => {
    const service = await caller.find("databaseService", id);
    const { accountId, providerId, networkId, environmentId, serviceLevel, name } = service;
    const { engine, version, flavor, location, ...master } = await findMaster(db, service);
    const storageType = master.storageType === "aurora" ? undefined : (master.storageType as DatabaseStorageType);
    await requireAllowedDatabase(caller, db, await caller.find("provider", providerId), {
      ...{ engine, version, flavor, location, serviceLevel, networkId, environmentId },
      storage: storageType && master.storageGb,
      modifiers: { multi_az: master.multiAz, storage_type: storageType },
      encrypted: master.storageEncrypted,
    });
    await requireFreeName(db, accountId, name, id);
  },
  deprovision_database_service: noFurtherRules,
  provision_database_server: async ({ caller, db, id }) => {
    const replica = await caller.find("databaseServer", id);
    const service = await caller.find("databaseService", replica.databaseServiceId, "update");
    const source = await caller.find("databaseServer", replica.replicationSourceId ?? id);
    await requireAllowedReplica(db, service, source, replica, "replication_source", id);
  },
  deprovision_database_server: locked("databaseServer", requireRemovableReplica),
  provision_database_server_snapshot: async ({ caller, db, id }) => {
    const { databaseServerId } = await caller.find("databaseServerSnapshot", id);
    await findServerToSnapshot(caller, db, databaseServerId);
  },
  deprovision_database_server_snapshot: noFurtherRules,

  scan_drift: noFurtherRules,
  remove_leaked_resources: null,
  // The finding may no longer exist.
  remove_orphan: async ({ db, input: { providerId } }) =>
    requireUsable(await db.provider.findUniqueOrThrow({ where: { id: providerId } })),
  update_tags: noFurtherRules,
};

/** A server as it was requested. */
async function specOf(db: Tx, server: Server): Promise<ServerSpec> {
  const disks = await db.volume.findMany({ where: { serverId: server.id, provisionedId: null } });
  const data = disks.find(({ mount }) => mount === "/data");
  const { role, flavor, name, dedicated, cpuCredits, subnetId, iamRoleId, snapshotId } = server;
  return {
    path: "server",
    role: role as ServerSpec["role"],
    flavor,
    name: name ?? undefined,
    dedicated,
    cpuCredits: (cpuCredits ?? undefined) as ServerSpec["cpuCredits"],
    subnetId: subnetId ?? undefined,
    iamRoleId: iamRoleId ?? undefined,
    snapshotId: snapshotId ?? undefined,
    volumeSizeGb: data?.sizeGb,
    volumeType: data?.volumeType ?? undefined,
    iops: data?.iops ?? undefined,
    mntVolumeSizeGb: disks.find(({ mount }) => mount === "/mnt")?.sizeGb,
  };
}
