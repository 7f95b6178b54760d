import { type Environment, Prisma, type Subnet, type Tx } from "@gantry/db";
import { conflict, invalid, notFound } from "../../http/errors/errors.js";
import { fetchRows, isValidId } from "../../http/rows/rows.js";
import { requireProvisioned } from "../provisioned.js";

/** A subnet of the environment's network, or a zone of the region's default network. */
export interface Placement {
  zone: string;
  subnetId: string | null;
  /** True for a private subnet, in which a server gets no public address. */
  isPrivate: boolean;
}

/** A placement, and those to try if AWS has no capacity there. */
export interface ChosenPlacement extends Placement {
  alternatives: Placement[];
}

interface PlacementInput {
  path: string;
  subnetId?: string | undefined;
  flavor: string;
  /** The zones that offer the flavor; undefined if every zone counts as one. */
  zones: string[] | undefined;
}

/**
 * A placement for each server in a zone that offers its flavor: the subnet that it names, or else the one with the fewest
 * servers of the environment.
 *
 * @throws 404 or 422 if a named subnet does not fit, 409 if there is no zone to choose from, 422 if no zone fits
 */
export async function placeServers(
  db: Tx,
  environment: Environment & { providerId: number },
  inputs: PlacementInput[],
): Promise<ChosenPlacement[]> {
  const requested = new Map<string, Placement>();
  for (const { subnetId, path } of inputs) {
    if (subnetId && !requested.has(subnetId))
      requested.set(subnetId, await requireSubnet(db, environment, subnetId, path));
  }
  const needsChoice = inputs.some(({ subnetId }) => !subnetId);
  const candidates = needsChoice ? await findCandidates(db, environment) : [];
  const counts = needsChoice ? await countByPlacement(db, environment) : new Map<string, number>();
  return inputs.map((input) => {
    const named = input.subnetId && (requested.get(input.subnetId) as Placement);
    const fitting = (named ? [named] : candidates).filter(({ zone }) => input.zones?.includes(zone) ?? true);
    if (fitting.length === 0) throw notOfferedIn(named ? [named] : candidates, input);
    const placement = findLeastUsed(fitting, counts);
    counts.set(placementKey(placement), (counts.get(placementKey(placement)) ?? 0) + 1);
    return { ...placement, alternatives: fitting.filter(({ zone }) => zone !== placement.zone) };
  });
}

function notOfferedIn(candidates: Placement[], { path, flavor, zones = [], subnetId }: PlacementInput) {
  const tried = [...new Set(candidates.map(({ zone }) => zone))].join(", ");
  return invalid(
    `${path}.${subnetId ? "subnet_id" : "flavor"}`,
    `AWS offers ${flavor} in ${zones.join(", ")}, but not in ${tried}`,
  );
}

async function requireSubnet(db: Tx, environment: Environment, subnetId: string, path: string): Promise<Placement> {
  const { accountId, networkId } = environment;
  const [subnet] = isValidId("subnet", subnetId)
    ? await fetchRows(
        db,
        "subnet",
        Prisma.sql`SELECT * FROM subnets WHERE id = ${subnetId} AND account_id = ${accountId} FOR SHARE`,
      )
    : [];
  if (!subnet) throw notFound({ model: "subnet", id: subnetId });
  if (subnet.networkId !== networkId) {
    throw invalid(`${path}.subnet_id`, `subnet ${subnetId} is not in the network of environment ${environment.id}`);
  }
  requireProvisioned("subnet", subnet);
  return placementIn(subnet);
}

// A server gets into a private subnet only if it names the subnet.
async function findCandidates(db: Tx, environment: Environment & { providerId: number }): Promise<Placement[]> {
  const { networkId, region, providerId } = environment;
  if (networkId) {
    const subnets = await fetchRows(
      db,
      "subnet",
      Prisma.sql`SELECT * FROM subnets WHERE network_id = ${networkId} AND deleted_at IS NULL AND NOT private
        AND provisioned_id IS NOT NULL AND removal_started_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM requests WHERE resource_type = 'subnet' AND resource_id = subnets.id::text
            AND finished_at IS NULL AND type = 'deprovision_subnet')
        ORDER BY location, id FOR SHARE`,
    );
    if (subnets.length === 0) throw conflict(`network ${networkId} has no public subnet for servers`);
    return subnets.map(placementIn);
  }
  const zones = await db.providerLocation.findMany({
    where: { providerId, parent: { locationId: region }, disabledAt: null },
    orderBy: { locationId: "asc" },
  });
  if (zones.length === 0)
    throw conflict(`Gantry does not know the zones of ${region} yet; discover the location first`);
  return zones.map(({ locationId }) => ({ zone: locationId, subnetId: null, isPrivate: false }));
}

async function countByPlacement(db: Tx, { id }: Environment): Promise<Map<string, number>> {
  const groups = await db.server.groupBy({
    by: ["location", "subnetId"],
    where: { environmentId: id, deletedAt: null },
    _count: true,
  });
  return new Map(groups.map(({ location, subnetId, _count }) => [placementKey({ zone: location, subnetId }), _count]));
}

function findLeastUsed(candidates: Placement[], counts: Map<string, number>): Placement {
  const used = (placement: Placement) => counts.get(placementKey(placement)) ?? 0;
  return candidates.reduce((best, placement) => (used(placement) < used(best) ? placement : best));
}

function placementKey({ zone, subnetId }: Pick<Placement, "zone" | "subnetId">): string {
  return subnetId ?? zone;
}

function placementIn({ id, location, private: isPrivate }: Subnet): Placement {
  return { zone: location, subnetId: id, isPrivate };
}
