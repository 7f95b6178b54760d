import { contentsOfSubnet } from "../../aws/ec2/vpc-contents.js";
import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireEmpty } from "./require-empty.js";

/** Removes a subnet, with the NAT gateway that it holds. */
export const deprovisionSubnet = awsWorkflow({
  type: "deprovision_subnet",
  stages: {
    destroy: async (context) => {
      const { resourceId: id, db, cloud } = context;
      const { network, provisionedId } = await db.subnet.findUniqueOrThrow({
        where: { id },
        include: { network: true },
      });
      const scope = cloud({ providerId: network.providerId, region: network.location });
      await requireEmpty(context, scope, { type: "subnet", provisionedId, contents: contentsOfSubnet });
      await db.subnet.updateMany({ where: { id, removalStartedAt: null }, data: { removalStartedAt: new Date() } });
      await scope.removeAll(kinds);
      await db.subnet.update({ where: { id }, data: { deletedAt: new Date(), natGatewayId: null } });
    },
  },
});
