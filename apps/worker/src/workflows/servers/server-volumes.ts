import type { Server, Volume } from "@gantry/db";
import type { InstanceState } from "../../aws/ec2/describe-instance.js";
import type { VolumeState } from "../../aws/ec2/volume.js";
import { permanent } from "../../engine/signals.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { attachTo, makeVolume } from "../volumes/make-volume.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/** Makes a volume of the server's and has its instance take it. */
export async function giveVolume({ db, cloud }: Context, row: Volume, instanceId: string): Promise<void> {
  const { id, device } = row;
  const volumeId = await makeVolume({ cloud }, row);
  if (!device) throw permanent("A volume of the server has no device");
  await attachTo({ cloud }, row, { volumeId, instanceId, device });
  await db.volume.update({ where: { id }, data: { provisionedId: volumeId, state: "in-use" } });
}

const ROOT_MOUNT = "/";

/** True for a disk that the server was asked for, and false for the one that came with its instance. */
export function isData({ mount }: Volume): boolean {
  return mount !== ROOT_MOUNT;
}

/** Records the disk that the instance starts from. It was made with the instance and goes with it. */
export async function recordRoot(
  { db }: Pick<Context, "db">,
  server: Server & { volumes: Volume[] },
  found: InstanceState,
  disks: Map<string, VolumeState>,
): Promise<void> {
  const root = found.disks.find(({ device }) => device === found.rootDevice);
  const disk = root && disks.get(root.volumeId);
  if (!disk) return;
  const { sizeGb, volumeType, encrypted } = disk;
  const seen = { provisionedId: root.volumeId, sizeGb, volumeType, encrypted, state: "in-use" };
  const known = server.volumes.find((volume) => !isData(volume));
  if (known) await db.volume.update({ where: { id: known.id }, data: seen });
  else {
    const { id: serverId, accountId, providerId, region, location } = server;
    const place = { accountId, providerId, region, location };
    const data = { ...place, ...seen, serverId, device: root.device, name: "root", mount: ROOT_MOUNT };
    await db.volume.create({ data });
  }
}
