import { routeSubnet } from "../../aws/ec2/route-table.js";
import { subnet } from "../../aws/ec2/subnet.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Creates a subnet in a zone of its network. */
export const provisionSubnet = awsWorkflow({
  type: "provision_subnet",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const {
        network,
        cidr,
        location,
        private: isPrivate,
      } = await db.subnet.findUniqueOrThrow({
        where: { id: resourceId },
        include: { network: true },
      });
      const { provisionedId: vpcId } = network;
      const routeTableId = isPrivate ? network.privateRouteTableId : network.routeTableId;
      if (!vpcId || !routeTableId) throw permanent("The network of this subnet does not exist in AWS");
      const scope = cloud({ providerId: network.providerId, region: network.location });
      const provisionedId = await scope.ensure(subnet, { vpcId, cidr, zone: location });
      await scope.call(routeSubnet(routeTableId, provisionedId));
      await db.subnet.update({ where: { id: resourceId }, data: { provisionedId } });
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.subnet.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
  },
});
