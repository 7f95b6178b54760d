import { attachVolume as attach, describeVolume } from "../../aws/ec2/volume.js";
import { permanent, poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Has a server of the same zone take a disk. */
export const attachVolume = awsWorkflow("attach_volume", {
  attach: async ({ resourceId, input, request, db, cloud }) => {
    const id = Number(resourceId);
    const { device } = input;
    const [volume, server] = await Promise.all([
      db.volume.findUniqueOrThrow({ where: { id } }),
      db.server.findUniqueOrThrow({ where: { id: input.serverId } }),
    ]);
    const { provisionedId: volumeId, providerId, region } = volume;
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
    if (other) throw permanent(`The server knows volume ${other.id} as ${device} already`);

    const aws = cloud({ providerId, region });
    await aws.call(attach({ volumeId, instanceId, device }));
    const { attachment } = (await aws.call((ec2) => describeVolume(ec2, volumeId))) ?? {};
    if (attachment?.instanceId !== instanceId || attachment.state !== "attached") {
      throw poll("AWS to attach the volume");
    }
    await db.volume.update({ where: { id }, data: { serverId: server.id, device, state: "in-use" } });
  },
});
