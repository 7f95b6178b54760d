import { defaultVolumeType } from "@gantry/requests";
import { mergedTags } from "../../http/tags.js";
import type { ChosenPlacement, Placement } from "./server.placement.js";
import type { ProvisionableEnvironment, ServerSpec } from "./server.spec.js";
import { DEFAULT_VOLUME_GB } from "./server.volumes.js";

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

interface DataSnapshot {
  provisionedId: string;
  sizeGb: number;
}

/** The rows of a new server's volumes: the data volume and, where it has a size, the scratch volume at /mnt. */
export function volumeRows(
  serverId: number,
  environment: ProvisionableEnvironment,
  server: ServerSpec,
  { zone }: Placement,
  { snapshot, requiresEncryption }: { snapshot: DataSnapshot | undefined; requiresEncryption: boolean },
) {
  const { accountId, providerId, region, encryptedEbsForEverything, encryptedDatabaseEbs } = environment;
  const { role, iops = null, volumeSizeGb = DEFAULT_VOLUME_GB, mntVolumeSizeGb } = server;
  const holdsDatabase = role === "solo" || role === "db_master" || role === "db_slave";
  const encrypted = requiresEncryption || encryptedEbsForEverything || (encryptedDatabaseEbs && holdsDatabase);
  const tags = mergedTags(`${server.path}.tags`, environment.tags, server.tags);
  const common = { accountId, providerId, serverId, region, location: zone, encrypted, tags };
  const data = {
    ...common,
    name: "data",
    mount: "/data",
    device: "/dev/xvdf",
    sizeGb: Math.max(volumeSizeGb, snapshot?.sizeGb ?? 0),
    volumeType: server.volumeType ?? defaultVolumeType(iops),
    iops,
    fromSnapshot: snapshot?.provisionedId ?? null,
  };
  if (!mntVolumeSizeGb) return [data];
  const mnt = { ...data, name: "mnt", mount: "/mnt", device: "/dev/xvdg", sizeGb: mntVolumeSizeGb };
  return [data, { ...mnt, volumeType: defaultVolumeType(null), iops: null, fromSnapshot: null }];
}
