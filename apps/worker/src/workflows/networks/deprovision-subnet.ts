import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a subnet, with the NAT gateway that it holds. */
export const deprovisionSubnet = awsWorkflow({
  type: "deprovision_subnet",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId: id, db, cloud }) => {
      const { network } = await db.subnet.findUniqueOrThrow({ where: { id }, include: { network: true } });
      const scope = cloud({ providerId: network.providerId, region: network.location });
      await db.subnet.updateMany({ where: { id, removalStartedAt: null }, data: { removalStartedAt: new Date() } });
      await scope.removeAll(kinds);
      await db.subnet.update({ where: { id }, data: { deletedAt: new Date(), natGatewayId: null } });
    },
  },
});
