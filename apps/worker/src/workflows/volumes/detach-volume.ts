import { describeVolume, detachVolume as detach } from "../../aws/ec2/volume.js";
import { poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { serverOf } from "../server-of.js";
import { DETACHED } from "./ensure-volume.js";

/**
 * Detaches a volume from its server. AWS waits until the server has unmounted it. If another instance has the volume by
 * now, that one keeps it, and the record shows where it is.
 */
export const detachVolume = awsWorkflow({
  type: "detach_volume",
  stages: {
    detach: async ({ request: { accountId }, resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const volume = await db.volume.findUniqueOrThrow({ where: { id }, include: { server: true } });
      const { provisionedId: volumeId, providerId, region, server } = volume;
      const scope = cloud({ providerId, region });
      const instanceId = server?.provisionedId;
      if (volumeId && instanceId) await scope.call(detach({ volumeId, instanceId }));
      const { attachment } = (volumeId && (await scope.call(describeVolume(volumeId)))) || {};
      if (attachment && attachment.instanceId === instanceId) throw poll("AWS to detach the volume");
      const holder = attachment && (await serverOf(db, accountId, attachment.instanceId));
      const moved = attachment && { serverId: holder?.id ?? null, device: attachment.device, state: "in-use" };
      await db.volume.update({ where: { id }, data: { ...DETACHED, ...moved } });
    },
  },
});
