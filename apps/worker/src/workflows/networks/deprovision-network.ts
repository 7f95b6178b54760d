import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a network with its gateway and route tables. The API accepts it only once the subnets are deleted. */
export const deprovisionNetwork = awsWorkflow({
  type: "deprovision_network",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const network = await db.network.findUniqueOrThrow({ where: { id: resourceId } });
      await cloud({ providerId: network.providerId, region: network.location }).removeAll(kinds);
      await db.network.update({ where: { id: network.id }, data: { deletedAt: new Date() } });
    },
  },
});
