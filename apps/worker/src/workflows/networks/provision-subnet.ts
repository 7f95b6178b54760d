import { subnet } from "../../aws/ec2/subnet.js";
import { permanent } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Makes a subnet in a zone of its network. */
export const provisionSubnet = awsWorkflow(
  "provision_subnet",
  {
    create: async ({ resourceId, db, cloud }) => {
      const { network, ...row } = await db.subnet.findUniqueOrThrow({
        where: { id: resourceId },
        include: { network: true },
      });
      if (!network.provisionedId) throw permanent("The network of this subnet does not exist in AWS");
      const provisionedId = await cloud({ providerId: network.providerId, region: network.location }).ensure(subnet, {
        vpcId: network.provisionedId,
        cidr: row.cidr,
        zone: row.location,
        routeTableId: network.routeTableId,
      });
      await db.subnet.update({ where: { id: row.id }, data: { provisionedId } });
    },
  },
  async ({ resourceId, db }) => {
    await db.subnet.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
  },
);
