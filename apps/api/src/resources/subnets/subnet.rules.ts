import type { Network, Tx } from "@gantry/db";
import { invalid } from "../../http/errors.js";
import { contains, overlaps } from "../networks/network.cidr.js";
import { requireUsableNetwork } from "../networks/network.rules.js";
import { requireZoneOfRegion } from "../providers/provider.rules.js";

/**
 * Call it with the network's row locked.
 *
 * @throws 409 where the network is not usable now, 422 where the block or the zone does not fit it
 */
export async function requireFreeBlock(
  db: Tx,
  network: Network,
  { cidr, location }: { cidr: string; location: string },
): Promise<void> {
  await requireUsableNetwork(db, network);
  if (!contains(network.cidr, cidr))
    throw invalid("subnet.cidr", `${cidr} is not inside the network's ${network.cidr}`);
  const siblings = await db.subnet.findMany({ where: { networkId: network.id, deletedAt: null } });
  const overlapping = siblings.find((other) => overlaps(other.cidr, cidr));
  if (overlapping) throw invalid("subnet.cidr", `${cidr} overlaps ${overlapping.cidr} of subnet ${overlapping.id}`);
  const zone = { providerId: network.providerId, region: network.location, zone: location };
  await requireZoneOfRegion(db, zone, "subnet.location");
}
