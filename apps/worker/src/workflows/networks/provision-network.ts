import { insertInto, type Network } from "@gantry/db";
import type { Tags } from "@gantry/resources";
import { v5 as uuidv5 } from "uuid";
import { internetGateway } from "../../aws/ec2/internet-gateway.js";
import { routeSubnet, routeTable, routeToInternet } from "../../aws/ec2/route-table.js";
import { subnet } from "../../aws/ec2/subnet.js";
import { enableDns, vpc } from "../../aws/ec2/vpc.js";
import { permanent } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { ensureNatGateway } from "./nat-gateway.js";
import { type ZoneBlock, zoneBlocks } from "./zone-blocks.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/**
 * Creates a network: a VPC with DNS, a gateway with a route to the internet, and a subnet in each zone. A network with
 * private subnets has one of them in each zone too, with a route to a NAT gateway in the first public subnet.
 */
export const provisionNetwork = awsWorkflow({
  type: "provision_network",
  stages: {
    create: async ({ resourceId, input, db, cloud }) => {
      const network = await db.network.findUniqueOrThrow({ where: { id: resourceId } });
      const { id, providerId, location: region, cidr, tenancy, privateSubnets } = network;
      const scope = cloud({ providerId, region });

      const [vpcId, zones] = await Promise.all([
        scope.ensure(vpc, { cidr, tenancy }),
        input.skipSubnets ? [] : zonesOf({ db }, network),
      ]);
      const [internetGatewayId, routeTableId, privateRouteTableId, subnets] = await Promise.all([
        scope.ensure(internetGateway, { vpcId }),
        scope.ensure(routeTable, { vpcId }),
        privateSubnets ? scope.ensure(routeTable, { vpcId }, "private") : null,
        Promise.all(
          zoneBlocks(cidr, zones, { privateSubnets }).map((block) => ensureSubnet({ cloud }, network, block, vpcId)),
        ),
        scope.call(enableDns(vpcId)),
      ]);
      await Promise.all([
        scope.call(routeToInternet(routeTableId, { internetGatewayId })),
        ...subnets.map(({ provisionedId, private: isPrivate }) =>
          scope.call(routeSubnet((isPrivate && privateRouteTableId) || routeTableId, provisionedId)),
        ),
      ]);
      const holder = privateRouteTableId ? subnets.find((each) => !each.private) : undefined;
      const natGatewayId = holder && (await ensureNatGateway({ cloud }, { providerId, region, subnet: holder }));
      if (natGatewayId && privateRouteTableId) {
        await scope.call(routeToInternet(privateRouteTableId, { natGatewayId }));
      }
      const rows = subnets.map((each) => ({ ...each, natGatewayId: (each === holder && natGatewayId) || null }));
      await Promise.all([
        recordSubnets({ db }, rows),
        db.network.update({ where: { id }, data: { provisionedId: vpcId, routeTableId, privateRouteTableId } }),
      ]);
    },
  },
  discard: async ({ resourceId, db }) => {
    const deletedAt = new Date();
    await db.subnet.updateMany({ where: { networkId: resourceId, deletedAt: null }, data: { deletedAt } });
    await db.network.update({ where: { id: resourceId }, data: { deletedAt } });
  },
});

async function zonesOf({ db }: Pick<Context, "db">, network: Network): Promise<string[]> {
  const { accountId, providerId, location: region } = network;
  const zones = await db.providerLocation.findMany({
    where: { accountId, providerId, parent: { locationId: region }, disabledAt: null },
    orderBy: { locationId: "asc" },
  });
  if (zones.length === 0)
    throw permanent(`Gantry does not know the zones of ${region} yet; discover the location first`);
  return zones.map(({ locationId }) => locationId);
}

async function ensureSubnet({ cloud }: Pick<Context, "cloud">, network: Network, block: ZoneBlock, vpcId: string) {
  const { accountId, id: networkId, providerId, location: region } = network;
  const tags = network.tags as Tags;
  const { zone, cidr, isPrivate } = block;
  const id = uuidv5(isPrivate ? `private ${zone}` : zone, networkId);
  const scope = cloud({
    providerId,
    region,
    owner: { type: "subnet", id },
    tagsOf: { type: "network", id: networkId },
  });
  const provisionedId = await scope.ensure(subnet, { zone, cidr, vpcId });
  return { id, accountId, networkId, provisionedId, cidr, location: zone, primary: true, private: isPrivate, tags };
}

// An earlier attempt that was rolled back has left deleted rows of the same ids.
async function recordSubnets(
  { db }: Pick<Context, "db">,
  [first, ...rest]: (Awaited<ReturnType<typeof ensureSubnet>> & { natGatewayId: string | null })[],
): Promise<void> {
  if (!first) return;
  await db.$executeRaw`
    ${insertInto("subnets", first, ...rest)}
    ON CONFLICT (id) DO UPDATE SET provisioned_id = excluded.provisioned_id,
      nat_gateway_id = excluded.nat_gateway_id, deleted_at = NULL, updated_at = now()`;
}
