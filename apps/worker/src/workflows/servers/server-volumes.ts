import type { Server, Volume } from "@gantry/db";
import type { Tags } from "@gantry/resources";
import type { InstanceState } from "../../aws/ec2/describe-instance.js";
import { attachVolume, type VolumeState } from "../../aws/ec2/volume.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { ensureVolume } from "../volumes/ensure-volume.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/** A server's volume, its id in AWS and its device. */
interface AttachedVolume {
  id: number;
  volumeId: string;
  device: string;
}

/** Creates a volume of the server and attaches it to the instance; AWS may take a while to show the attachment. */
export async function attachServerVolume(
  { cloud }: Pick<Context, "cloud">,
  row: Volume,
  { instanceId, environmentId }: { instanceId: string; environmentId: number },
): Promise<AttachedVolume> {
  const { id, providerId, region, device } = row;
  const volumeId = await ensureVolume({ cloud }, row, environmentId);
  if (!device) throw permanent("A volume of the server has no device");
  await cloud({ providerId, region }).call(attachVolume({ volumeId, instanceId, device }));
  return { id, volumeId, device };
}

/** The instance as AWS will show it once the volumes are attached. */
export function withVolumes(found: InstanceState, attached: AttachedVolume[]): InstanceState {
  const others = found.blockDevices.filter(({ volumeId }) => !attached.some((each) => each.volumeId === volumeId));
  const added = attached.map(({ device, volumeId }) => ({ device, volumeId, deleteOnTermination: false }));
  return { ...found, blockDevices: [...others, ...added] };
}

/** Records the attached volumes. */
export async function recordAttached({ db }: Pick<Context, "db">, attached: AttachedVolume[]): Promise<void> {
  const writes = attached.map(({ id, volumeId }) =>
    db.volume.update({ where: { id }, data: { provisionedId: volumeId, state: "in-use" } }),
  );
  await Promise.all(writes);
}

const ROOT_MOUNT = "/";

/** True for a volume that is created and attached by itself, and false for its instance's root volume. */
export function isDataVolume({ mount }: Volume): boolean {
  return mount !== ROOT_MOUNT;
}

/** Records the instance's root volume, which AWS creates and deletes with the instance. */
export async function recordRootVolume(
  { db }: Pick<Context, "db">,
  server: Server & { volumes: Volume[] },
  found: InstanceState,
  volumeStates: Map<string, VolumeState>,
): Promise<void> {
  const root = found.blockDevices.find(({ device }) => device === found.rootDevice);
  const volumeState = root && volumeStates.get(root.volumeId);
  if (!volumeState) return;
  const { sizeGb, volumeType, encrypted } = volumeState;
  const observed = {
    provisionedId: root.volumeId,
    device: root.device,
    sizeGb,
    volumeType,
    encrypted,
    state: "in-use",
  };
  const rootVolume = server.volumes.find((volume) => !isDataVolume(volume));
  if (rootVolume) await db.volume.update({ where: { id: rootVolume.id }, data: observed });
  else {
    const { id: serverId, accountId, providerId, region, location } = server;
    const columns = { accountId, providerId, region, location, serverId, tags: server.tags as Tags };
    const data = { ...columns, ...observed, name: "root", mount: ROOT_MOUNT };
    await db.volume.create({ data });
  }
}

/** Returns the ids of those volumes of servers that were created by themselves; they stay when their server is removed. */
export async function independentVolumes(
  db: Context["db"],
  volumes: Pick<Volume, "id" | "serverId">[],
): Promise<Set<number>> {
  const objects = await db.cloudObject.findMany({
    where: { resourceType: "volume", resourceId: { in: volumes.map(({ id }) => String(id)) }, removedAt: null },
    select: { resourceId: true, request: { select: { resourceType: true, resourceId: true } } },
  });
  const serverOf = new Map(volumes.map(({ id, serverId }) => [String(id), String(serverId)]));
  const independent = objects.filter(
    ({ resourceId, request }) => request.resourceType !== "server" || request.resourceId !== serverOf.get(resourceId),
  );
  return new Set(independent.map(({ resourceId }) => Number(resourceId)));
}
