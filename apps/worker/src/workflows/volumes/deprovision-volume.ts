import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a volume and its data. */
export const deprovisionVolume = awsWorkflow({
  type: "deprovision_volume",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, region } = await db.volume.findUniqueOrThrow({ where: { id } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.volume.update({ where: { id }, data: { deletedAt: new Date(), state: "deleted" } });
    },
  },
});
