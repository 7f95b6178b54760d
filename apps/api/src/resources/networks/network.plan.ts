import type { Tx } from "@gantry/db";
import type { PlannedResource } from "../../http/plans/planned-resource.js";

interface NewNetwork {
  providerId: number;
  region: string;
  skipSubnets: boolean;
}

/** A new network with a subnet in each known zone as resources of a plan. */
export async function plannedNetwork(
  db: Tx,
  { providerId, region, skipSubnets }: NewNetwork,
): Promise<PlannedResource[]> {
  const zones = skipSubnets
    ? []
    : await db.providerLocation.findMany({
        where: { providerId, parent: { locationId: region } },
        orderBy: { locationId: "asc" },
      });
  return [
    { kind: "network", count: 1, region },
    ...zones.map(({ locationId: zone }) => ({ kind: "subnet" as const, count: 1, region, zone })),
  ];
}
