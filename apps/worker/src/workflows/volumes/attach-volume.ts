import { attachVolume as attach, describeVolume } from "../../aws/ec2/volume.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireAttached } from "./ensure-volume.js";

/** Attaches a volume to a server of its zone. */
export const attachVolume = awsWorkflow({
  type: "attach_volume",
  stages: {
    attach: async ({ resourceId, input, request, db, cloud }) => {
      const id = Number(resourceId);
      const { device } = input;
      const [volume, server] = await Promise.all([
        db.volume.findUniqueOrThrow({ where: { id } }),
        db.server.findUniqueOrThrow({ where: { id: input.serverId } }),
      ]);
      const { provisionedId: volumeId } = volume;
      const { provisionedId: instanceId } = server;
      if (server.accountId !== request.accountId) throw permanent("The server does not belong to this account");
      if (!volumeId || volume.deletedAt) throw permanent("The volume does not exist in AWS");
      if (!instanceId || server.deletedAt) throw permanent("The server does not exist in AWS");
      if (volume.serverId !== null && volume.serverId !== server.id) {
        throw permanent(`The volume is attached to server ${volume.serverId}`);
      }
      const other = await db.volume.findFirst({
        where: { serverId: server.id, device, deletedAt: null, id: { not: id } },
      });
      if (other) throw permanent(`The server already has volume ${other.id} as ${device}`);

      const scope = cloud({ providerId: volume.providerId, region: volume.region });
      await scope.call(attach({ volumeId, instanceId, device }));
      requireAttached(await scope.call(describeVolume(volumeId)), instanceId);
      await db.volume.update({ where: { id }, data: { serverId: server.id, device, state: "in-use" } });
    },
  },
});
