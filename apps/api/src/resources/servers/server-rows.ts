import type { Ready, WantedServer } from "./new-servers.js";
import type { Place } from "./placement.js";

const DEFAULT_VOLUME_GB = 25;

/** The row of a server that is to be made. */
export function serverRow(id: number, environment: Ready, server: WantedServer, place: Place) {
  const { accountId, providerId, networkId, region } = environment;
  return {
    id,
    accountId,
    environmentId: environment.id,
    providerId,
    networkId,
    subnetId: place.subnetId,
    iamRoleId: server.iamRoleId ?? null,
    snapshotId: server.snapshotId ?? null,
    name: server.name ?? null,
    role: server.role,
    flavor: server.flavor,
    dedicated: server.dedicated ?? false,
    region,
    location: place.zone,
  };
}

/** Its volumes' rows: one for its data and, where it is wanted, one for what may be lost. */
export function volumeRows(
  serverId: number,
  environment: Ready,
  server: WantedServer,
  { zone }: Place,
  snapshot: { provisionedId: string; sizeGb: number } | undefined,
) {
  const { accountId, providerId, region, encryptedEbsForEverything, encryptedDatabaseEbs } = environment;
  const { role, iops = null, volumeSizeGb = DEFAULT_VOLUME_GB, mntVolumeSizeGb } = server;
  const holdsDatabase = role === "solo" || role === "db_master" || role === "db_slave";
  const encrypted = encryptedEbsForEverything || (encryptedDatabaseEbs && holdsDatabase);
  const common = { accountId, providerId, serverId, region, location: zone, encrypted };
  const usualType = iops === null ? "gp2" : "io1";
  const data = {
    ...common,
    name: "data",
    mount: "/data",
    device: "/dev/xvdf",
    sizeGb: Math.max(volumeSizeGb, snapshot?.sizeGb ?? 0),
    volumeType: server.volumeType ?? usualType,
    iops,
    fromSnapshot: snapshot?.provisionedId ?? null,
  };
  if (!mntVolumeSizeGb) return [data];
  const mnt = { ...data, name: "mnt", mount: "/mnt", device: "/dev/xvdg", sizeGb: mntVolumeSizeGb };
  return [data, { ...mnt, volumeType: "gp2", iops: null, fromSnapshot: null }];
}
