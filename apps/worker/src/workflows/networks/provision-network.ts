import { v5 as uuidv5 } from "uuid";
import { internetGateway } from "../../aws/ec2/internet-gateway.js";
import { internetRoute } from "../../aws/ec2/internet-route.js";
import { routeTable } from "../../aws/ec2/route-table.js";
import { subnet } from "../../aws/ec2/subnet.js";
import { vpc } from "../../aws/ec2/vpc.js";
import { permanent } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";
import { zoneBlocks } from "./zone-blocks.js";

/** Makes a network: a VPC with names, a gateway and a route to the internet, and a subnet in each zone. */
export const provisionNetwork = awsWorkflow(
  "provision_network",
  {
    create: async ({ resourceId, input, db, cloud }) => {
      const network = await db.network.findUniqueOrThrow({ where: { id: resourceId } });
      const place = { providerId: network.providerId, region: network.location };
      const aws = cloud(place);

      const vpcId = await aws.ensure(vpc, { cidr: network.cidr, tenancy: network.tenancy });
      const [gatewayId, routeTableId] = await Promise.all([
        aws.ensure(internetGateway, { vpcId }),
        aws.ensure(routeTable, { vpcId }),
      ]);
      const zones = input.skipSubnets ? [] : await zonesOf(place);
      const subnets = zoneBlocks(network.cidr, zones).map(async ({ zone, cidr }) => {
        const id = uuidv5(zone, network.id);
        const hands = cloud({ ...place, owner: { type: "subnet", id } });
        const provisionedId = await hands.ensure(subnet, { vpcId, cidr, zone, routeTableId });
        return { id, provisionedId, cidr, location: zone };
      });
      const [made] = await Promise.all([Promise.all(subnets), aws.ensure(internetRoute, { routeTableId, gatewayId })]);

      const { accountId } = network;
      const rows = made.map((row) => ({ ...row, accountId, networkId: network.id, primary: true }));
      if (rows.length > 0) await db.subnet.createMany({ data: rows, skipDuplicates: true });
      await db.network.update({ where: { id: network.id }, data: { provisionedId: vpcId, routeTableId } });

      async function zonesOf({ providerId, region }: typeof place): Promise<string[]> {
        const found = await db.providerLocation.findMany({
          where: { providerId, parent: { locationId: region }, disabledAt: null },
          orderBy: { locationId: "asc" },
        });
        if (found.length === 0) throw permanent(`No zones of ${region} are known; discover the location first`);
        return found.map(({ locationId }) => locationId);
      }
    },
  },
  async ({ resourceId, db }) => {
    const deletedAt = new Date();
    await db.subnet.updateMany({ where: { networkId: resourceId, deletedAt: null }, data: { deletedAt } });
    await db.network.update({ where: { id: resourceId }, data: { deletedAt } });
  },
);
