import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a subnet, with the NAT gateway that it holds. */
export const deprovisionSubnet = awsWorkflow({
  type: "deprovision_subnet",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const { network } = await db.subnet.findUniqueOrThrow({ where: { id: resourceId }, include: { network: true } });
      await cloud({ providerId: network.providerId, region: network.location }).removeAll(kinds);
      await db.subnet.update({ where: { id: resourceId }, data: { deletedAt: new Date(), natGatewayId: null } });
    },
  },
});
