import { describeVolume, detachVolume as detach } from "../../aws/ec2/volume.js";
import { poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Has a server let go of a disk. What the server has mounted it must have unmounted, or AWS waits for it. */
export const detachVolume = awsWorkflow("detach_volume", {
  detach: async ({ resourceId, db, cloud }) => {
    const id = Number(resourceId);
    const { provisionedId, providerId, region } = await db.volume.findUniqueOrThrow({ where: { id } });
    if (provisionedId) {
      const aws = cloud({ providerId, region });
      await aws.call(detach(provisionedId));
      const state = await aws.call((ec2) => describeVolume(ec2, provisionedId));
      if (state?.attachment) throw poll("AWS to detach the volume");
    }
    const free = { serverId: null, device: null, mount: null, state: "available" };
    await db.volume.update({ where: { id }, data: free });
  },
});
