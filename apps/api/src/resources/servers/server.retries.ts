import type { Server, Tx } from "@gantry/db";
import type { ServerSpec } from "@gantry/resources";
import { requiresEncryption } from "../accounts/account.encryption.js";
import { findZone } from "../providers/provider.rules.js";
import type { RetryRules } from "../retry-rule.js";
import { requireAllowedServers } from "./server.creation.js";
import { findModifiableServer } from "./server.modification.js";
import { requireAddressFor } from "./server.references.js";
import { requireReachableReports } from "./server.reports.js";
import { findProvisionedServer, findUpdatableServer, requireRemovableServer } from "./server.rules.js";
import { requireCreatableVolumes } from "./server.volumes.js";

export const serverRetries = {
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
  modify_server: async ({ caller, db, id, input }) => findModifiableServer(caller, db, id, input),
  discover_server: async ({ caller, id }) => findProvisionedServer(caller, id),
  snapshot_server: null,
} satisfies RetryRules;

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
