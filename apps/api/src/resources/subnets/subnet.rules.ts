import type { Network, Subnet, Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors/errors.js";
import { assertNoDependents } from "../dependents.js";
import { cidrContains, overlaps } from "../networks/network.cidr.js";
import { requireZoneOfRegion } from "../providers/provider.rules.js";
import { removalBegun, requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/**
 * Requires that the network can have the subnet now. Call it with the network's row locked.
 *
 * @param except the subnet itself, if it is provisioned again
 * @throws 409 if the network is not usable now, 422 if the block or the zone does not fit it, or a private subnet would
 * have no NAT gateway
 */
export async function requireAllowedSubnet(
  db: Tx,
  network: Network,
  { cidr, location, private: isPrivate }: Pick<Subnet, "cidr" | "location" | "private">,
  except?: string,
): Promise<void> {
  requireProvisioned("network", network);
  if (!cidrContains(network.cidr, cidr))
    throw invalid("subnet.cidr", `${cidr} is not inside the network's ${network.cidr}`);
  const siblings = await db.subnet.findMany({ where: { networkId: network.id, deletedAt: null } });
  const overlapping = siblings.find((other) => other.id !== except && overlaps(other.cidr, cidr));
  if (overlapping) throw invalid("subnet.cidr", `${cidr} overlaps ${overlapping.cidr} of subnet ${overlapping.id}`);
  const zone = { providerId: network.providerId, region: network.location, zone: location };
  await requireZoneOfRegion(db, zone, "subnet.location");
  if (isPrivate) await requireNatGateway(db, network);
}

/**
 * Locks the subnet that holds the network's NAT gateway against its removal until the transaction ends.
 *
 * @throws 422 if the network has no NAT gateway, 409 if the subnet is being deprovisioned
 */
async function requireNatGateway(db: Tx, { id: networkId }: Network): Promise<void> {
  const [holder] = await db.$queryRaw<{ id: string; removalStartedAt: Date | null }[]>`
    SELECT id, removal_started_at AS "removalStartedAt" FROM subnets WHERE network_id = ${networkId}::uuid AND nat_gateway_id IS NOT NULL AND deleted_at IS NULL
    FOR SHARE`;
  if (!holder)
    throw invalid("subnet.private", `network ${networkId} has no NAT gateway; create a network with private_subnets`);
  if (holder.removalStartedAt) throw removalBegun("subnet", holder.id);
  await assertNoUnfinishedRequest(["deprovision_subnet"], db, "subnet", holder.id);
}

/** @throws 409 if other resources need the subnet or the NAT gateway that it holds */
export async function requireUnused(db: Tx, subnet: Subnet): Promise<void> {
  await assertNoDependents(db, "subnet", subnet.id);
  await requireNoPrivateSubnet(db, subnet);
}

/** @throws 409 if private subnets of the network need the NAT gateway that this subnet holds */
async function requireNoPrivateSubnet(db: Tx, { id, networkId, natGatewayId }: Subnet): Promise<void> {
  if (!natGatewayId) return;
  const other = await db.subnet.findFirst({
    where: { networkId, private: true, deletedAt: null },
    select: { id: true },
  });
  if (other)
    throw conflict(`subnet ${id} contains the NAT gateway that private subnet ${other.id} uses`, {
      blocking: [`subnets/${other.id}`],
    });
}
