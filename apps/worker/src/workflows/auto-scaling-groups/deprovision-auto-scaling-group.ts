import { detachMembers } from "../../aws/auto-scaling/members.js";
import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { unlinkGroup } from "./unlink-group.js";

/** Removes a group and the instances that it launched. The app master keeps running. */
export const deprovisionAutoScalingGroup = awsWorkflow({
  type: "deprovision_auto_scaling_group",
  removesObjectsOf: "own record",
  stages: {
    "release-app-master": async ({ resourceId, db, cloud }) => {
      const { providerId, region, provisionedId } = await db.autoScalingGroup.findUniqueOrThrow({
        where: { id: resourceId },
      });
      if (provisionedId) await cloud({ providerId, region }).call(detachMembers(provisionedId));
      await unlinkGroup(db, resourceId);
    },
    destroy: async ({ resourceId, db, cloud }) => {
      const { providerId, region } = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: resourceId } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.autoScalingGroup.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
    },
  },
});
