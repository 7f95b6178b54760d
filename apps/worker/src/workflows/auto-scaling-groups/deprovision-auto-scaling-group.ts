import { releaseMembers } from "../../aws/auto-scaling/members.js";
import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { forgetGroup } from "./forget-group.js";

/** Removes a group and the instances that it has launched. The app master runs on without it. */
export const deprovisionAutoScalingGroup = awsWorkflow({
  type: "deprovision_auto_scaling_group",
  stages: {
    "release-app-master": async ({ resourceId, db, cloud }) => {
      const { providerId, region, provisionedId } = await db.autoScalingGroup.findUniqueOrThrow({
        where: { id: resourceId },
      });
      if (provisionedId) await cloud({ providerId, region }).call(releaseMembers(provisionedId));
      await forgetGroup(db, resourceId);
    },
    destroy: async ({ resourceId, db, cloud }) => {
      const { providerId, region } = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: resourceId } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.autoScalingGroup.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
    },
  },
});
