import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a network with its gateway and route tables. The API accepts it only once the subnets are deleted. */
export const deprovisionNetwork = awsWorkflow({
  type: "deprovision_network",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId: id, db, cloud }) => {
      const { providerId, location: region } = await db.network.findUniqueOrThrow({ where: { id } });
      await db.network.updateMany({ where: { id, removalStartedAt: null }, data: { removalStartedAt: new Date() } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.network.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  },
});
