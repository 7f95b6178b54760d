import { desiredCapacity, resize } from "../../aws/auto-scaling/group.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Sets a group's sizes. AWS launches and terminates instances accordingly, but never the app master. */
export const updateAutoScalingGroup = awsWorkflow({
  type: "update_auto_scaling_group",
  stages: {
    update: async ({ resourceId, input, db, cloud }) => {
      const group = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: resourceId } });
      const { id, providerId, region, provisionedId, deletedAt } = group;
      if (!provisionedId || deletedAt) throw permanent("The auto scaling group does not exist any more");
      const scope = cloud({ providerId, region });
      await scope.call(resize(provisionedId, input));
      const desired = await scope.call(desiredCapacity(provisionedId));
      const { minimumSize, maximumSize } = input;
      const data = { minimumSize, maximumSize, desiredCapacity: desired ?? input.desiredCapacity };
      await db.autoScalingGroup.update({ where: { id }, data });
    },
  },
});
