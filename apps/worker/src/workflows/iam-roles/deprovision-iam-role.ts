import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "../providers/home-region.js";

/** Removes a role with its instance profile and its policy. */
export const deprovisionIamRole = awsWorkflow({
  type: "deprovision_iam_role",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const { providerId } = await db.iamRole.findUniqueOrThrow({ where: { id: resourceId } });
      await db.iamRole.updateMany({
        where: { id: resourceId, removalStartedAt: null },
        data: { removalStartedAt: new Date() },
      });
      await cloud({ providerId, region: await homeRegionOf(db, providerId) }).removeAll(kinds);
      await db.iamRole.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
    },
  },
});
