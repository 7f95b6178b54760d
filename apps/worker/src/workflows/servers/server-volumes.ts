import type { Server, Volume } from "@gantry/db";
import type { InstanceState } from "../../aws/ec2/describe-instance.js";
import { describeVolume } from "../../aws/ec2/volume.js";
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

/** Records the disk that the instance starts from. It was made with the instance and goes with it. */
export async function recordRoot(
  { db, cloud }: Context,
  server: Server & { volumes: Volume[] },
  found: InstanceState,
): Promise<void> {
  const { accountId, providerId, region, location } = server;
  const root = found.disks.find(({ device }) => device === found.rootDevice);
  const disk = root && (await cloud({ providerId, region }).call((aws) => describeVolume(aws, root.volumeId)));
  if (!disk) return;
  const { sizeGb, volumeType, encrypted } = disk;
  const seen = { provisionedId: root.volumeId, sizeGb, volumeType, encrypted, state: "in-use" };
  const isRoot = { serverId: server.id, device: root.device };
  const known = server.volumes.find(({ device }) => device === root.device);
  if (known) await db.volume.update({ where: { id: known.id }, data: seen });
  else {
    const place = { accountId, providerId, region, location };
    await db.volume.create({ data: { ...isRoot, ...place, ...seen, name: "root", mount: "/" } });
  }
}
