import { insertInto } from "@gantry/db";
import { v5 as uuidv5 } from "uuid";
import { internetGateway } from "../../aws/ec2/internet-gateway.js";
import { routeSubnet, routeTable, routeToInternet } from "../../aws/ec2/route-table.js";
import { subnet } from "../../aws/ec2/subnet.js";
import { enableDns, vpc } from "../../aws/ec2/vpc.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { zoneBlocks } from "./zone-blocks.js";

/** Creates a network: a VPC with DNS, a gateway with a route to the internet, and a subnet in each zone. */
export const provisionNetwork = awsWorkflow({
  type: "provision_network",
  stages: {
    create: async ({ resourceId, input, db, cloud }) => {
      const { id, accountId, providerId, location, cidr, tenancy } = await db.network.findUniqueOrThrow({
        where: { id: resourceId },
      });
      const cloudLocation = { providerId, region: location };
      const scope = cloud(cloudLocation);

      const [vpcId, zones] = await Promise.all([
        scope.ensure(vpc, { cidr, tenancy }),
        input.skipSubnets ? [] : zonesOf(cloudLocation),
      ]);
      const [gatewayId, routeTableId, subnets] = await Promise.all([
        scope.ensure(internetGateway, { vpcId }),
        scope.ensure(routeTable, { vpcId }),
        Promise.all(zoneBlocks(cidr, zones).map((block) => ensureSubnet(block, vpcId))),
        scope.call(enableDns(vpcId)),
      ]);
      await Promise.all([
        scope.call(routeToInternet(routeTableId, gatewayId)),
        ...subnets.map(({ provisionedId }) => scope.call(routeSubnet(routeTableId, provisionedId))),
      ]);
      await Promise.all([
        recordSubnets(subnets),
        db.network.update({ where: { id }, data: { provisionedId: vpcId, routeTableId } }),
      ]);

      async function ensureSubnet(block: { zone: string; cidr: string }, vpcId: string) {
        const subnetId = uuidv5(block.zone, id);
        const scope = cloud({ ...cloudLocation, owner: { type: "subnet", id: subnetId } });
        const provisionedId = await scope.ensure(subnet, { ...block, vpcId });
        return {
          id: subnetId,
          accountId,
          networkId: id,
          provisionedId,
          cidr: block.cidr,
          location: block.zone,
          primary: true,
        };
      }

      // An earlier attempt that was rolled back has left deleted rows of the same ids.
      async function recordSubnets([first, ...rest]: Awaited<ReturnType<typeof ensureSubnet>>[]) {
        if (!first) return;
        await db.$executeRaw`
          ${insertInto("subnets", first, ...rest)}
          ON CONFLICT (id) DO UPDATE SET provisioned_id = excluded.provisioned_id, deleted_at = NULL, updated_at = now()`;
      }

      async function zonesOf({ region }: typeof cloudLocation): Promise<string[]> {
        const zones = await db.providerLocation.findMany({
          where: { accountId, providerId, parent: { locationId: region }, disabledAt: null },
          orderBy: { locationId: "asc" },
        });
        if (zones.length === 0) throw permanent(`No zones of ${region} are known; discover the location first`);
        return zones.map(({ locationId }) => locationId);
      }
    },
  },
  discard: async ({ resourceId, db }) => {
    const deletedAt = new Date();
    await db.subnet.updateMany({ where: { networkId: resourceId, deletedAt: null }, data: { deletedAt } });
    await db.network.update({ where: { id: resourceId }, data: { deletedAt } });
  },
});
