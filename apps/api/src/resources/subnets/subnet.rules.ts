import type { Network, Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors.js";
import { holds, overlap } from "../networks/cidr.js";
import { requireZone } from "../providers/provider.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

/**
 * Called with the network's row locked.
 *
 * @throws 409 where the network cannot take subnets now, 422 where the block or the zone does not fit it
 */
export async function requireRoom(
  db: Tx,
  network: Network,
  { cidr, location }: { cidr: string; location: string },
): Promise<void> {
  if (network.deletedAt) throw conflict(`the network ${network.id} was deleted`);
  await assertNoOpenRequest(["deprovision_network"], db, "network", network.id);
  if (!network.provisionedId) throw conflict(`the network ${network.id} is not provisioned yet`);
  if (!holds(network.cidr, cidr)) throw invalid("subnet.cidr", `${cidr} is not inside the network's ${network.cidr}`);
  const neighbours = await db.subnet.findMany({ where: { networkId: network.id, deletedAt: null } });
  const inTheWay = neighbours.find((other) => overlap(other.cidr, cidr));
  if (inTheWay) throw invalid("subnet.cidr", `${cidr} overlaps ${inTheWay.cidr} of subnet ${inTheWay.id}`);
  await requireZone(db, { providerId: network.providerId, region: network.location }, location, "subnet.location");
}
