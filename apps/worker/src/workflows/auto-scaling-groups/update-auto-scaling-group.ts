import { desiredCapacity, resize } from "../../aws/auto-scaling/group.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { awaitMembers } from "./await-members.js";

/**
 * Sets a group's sizes, and waits until AWS has launched or terminated its instances accordingly, which never concerns
 * the app master. The record gets the sizes first: AWS continues towards them even if a launch fails.
 */
export const updateAutoScalingGroup = awsWorkflow({
  type: "update_auto_scaling_group",
  stages: {
    update: async ({ request, resourceId, input, db, cloud }) => {
      const group = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: resourceId } });
      const { id, providerId, region, provisionedId, deletedAt } = group;
      if (!provisionedId || deletedAt) throw permanent("The auto scaling group no longer exists");
      const scope = cloud({ providerId, region });
      await scope.call(resize(provisionedId, input));
      const desired = await scope.call(desiredCapacity(provisionedId));
      const { minimumSize, maximumSize } = input;
      const data = { minimumSize, maximumSize, desiredCapacity: desired ?? input.desiredCapacity };
      await db.autoScalingGroup.update({ where: { id }, data });
      await awaitMembers({ db, request }, scope, provisionedId);
    },
  },
});
