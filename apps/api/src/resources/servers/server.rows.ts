import { defaultVolumeType } from "@gantry/aws-facts";
import type { ProvisionableEnvironment, ServerSpec } from "@gantry/resources";
import { mergedTags } from "../../http/lists/tags.js";
import type { ChosenPlacement, Placement } from "./server.placement.js";
import type { RestoredSnapshot } from "./server.references.js";
import { DEFAULT_VOLUME_GB, ROOT_VOLUME } from "./server.volumes.js";

export type ServerRow = ReturnType<typeof serverRow>;
export type VolumeRow = ReturnType<typeof volumeRows>[number];

/** The row of a new server. */
export function serverRow(
  id: number,
  environment: ProvisionableEnvironment,
  server: ServerSpec & { flavor: string },
  placement: ChosenPlacement,
) {
  const { accountId, providerId, networkId, region } = environment;
  return {
    id,
    accountId,
    environmentId: environment.id,
    providerId,
    networkId,
    subnetId: placement.subnetId,
    iamRoleId: server.iamRoleId ?? null,
    snapshotId: server.snapshotId ?? null,
    name: server.name ?? null,
    role: server.role,
    flavor: server.flavor,
    dedicated: server.dedicated ?? false,
    cpuCredits: server.cpuCredits ?? null,
    region,
    location: placement.zone,
    tags: mergedTags(`${server.path}.tags`, environment.tags, server.tags),
    alternatives: placement.alternatives.map(({ zone, subnetId }) => ({ zone, subnetId })),
  };
}

/**
 * The rows of a new server's volumes: the data volume, the scratch volume at /mnt if it has a size, and the root disk if it
 * restores a snapshot. Other root disks get their rows once AWS shows them.
 */
export function volumeRows(
  serverId: number,
  environment: ProvisionableEnvironment,
  server: ServerSpec,
  { zone }: Placement,
  { snapshot, requiresEncryption }: { snapshot: RestoredSnapshot | undefined; requiresEncryption: boolean },
) {
  const { accountId, providerId, region, encryptedEbsForEverything, encryptedDatabaseEbs } = environment;
  const { role, iops = null, volumeSizeGb = DEFAULT_VOLUME_GB, mntVolumeSizeGb } = server;
  const holdsDatabase = role === "solo" || role === "db_master" || role === "db_slave";
  const encryptsAll = requiresEncryption || encryptedEbsForEverything;
  const encrypted = encryptsAll || (encryptedDatabaseEbs && holdsDatabase);
  const tags = mergedTags(`${server.path}.tags`, environment.tags, server.tags);
  const common = { accountId, providerId, serverId, region, location: zone, encrypted, tags };
  const dataSnapshot = snapshot?.rootDevice === null ? snapshot : undefined;
  const data = {
    ...common,
    name: "data",
    mount: "/data",
    device: "/dev/xvdf",
    sizeGb: Math.max(volumeSizeGb, dataSnapshot?.sizeGb ?? 0),
    volumeType: server.volumeType ?? defaultVolumeType(iops),
    iops,
    throughput: server.throughput ?? null,
    fromSnapshot: dataSnapshot?.provisionedId ?? null,
  };
  const plain = { ...data, volumeType: defaultVolumeType(null), iops: null, throughput: null, fromSnapshot: null };
  const rows = [data];
  if (snapshot?.rootDevice) {
    const { rootDevice: device, provisionedId: fromSnapshot } = snapshot;
    const sizeGb = Math.max(ROOT_VOLUME.size_gb, snapshot.sizeGb);
    const { name, type: volumeType } = ROOT_VOLUME;
    rows.unshift({ ...plain, name, mount: "/", device, sizeGb, volumeType, encrypted: encryptsAll, fromSnapshot });
  }
  if (mntVolumeSizeGb) {
    const mnt = { ...plain, ...server.mntSettings };
    rows.push({ ...mnt, name: "mnt", mount: "/mnt", device: "/dev/xvdg", sizeGb: mntVolumeSizeGb });
  }
  return rows;
}
