import type { Tx } from "@gantry/db";
import type { PlannedResource } from "../../http/plans/planned-resource.js";

interface NewNetwork {
  providerId: number;
  region: string;
  skipSubnets: boolean;
  privateSubnets: boolean;
}

/**
 * A new network with its subnets in each known zone, and with the NAT gateway of private ones, as resources of a plan.
 */
export async function plannedNetwork(
  db: Tx,
  { providerId, region, skipSubnets, privateSubnets }: NewNetwork,
): Promise<PlannedResource[]> {
  const zones = skipSubnets
    ? []
    : await db.providerLocation.findMany({
        where: { providerId, parent: { locationId: region } },
        orderBy: { locationId: "asc" },
      });
  return [
    { kind: "network", count: 1, region },
    ...zones.map(({ locationId: zone }) => ({ kind: "subnet" as const, count: privateSubnets ? 2 : 1, region, zone })),
    ...(privateSubnets ? (["nat_gateway", "address"] as const).map((kind) => ({ kind, count: 1, region })) : []),
  ];
}
