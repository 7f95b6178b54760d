import { describeVolume, detachVolume as detach } from "../../aws/ec2/volume.js";
import { poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { DETACHED } from "./ensure-volume.js";

/** Detaches a volume from its server. AWS waits until the server has unmounted it. */
export const detachVolume = awsWorkflow({
  type: "detach_volume",
  stages: {
    detach: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { provisionedId, providerId, region } = await db.volume.findUniqueOrThrow({ where: { id } });
      if (provisionedId) {
        const scope = cloud({ providerId, region });
        await scope.call(detach(provisionedId));
        const state = await scope.call(describeVolume(provisionedId));
        if (state?.attachment) throw poll("AWS to detach the volume");
      }
      await db.volume.update({ where: { id }, data: DETACHED });
    },
  },
});
