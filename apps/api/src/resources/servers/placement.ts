import { type Environment, Prisma, type Subnet, type Tx } from "@gantry/db";
import { conflict, invalid, notFound } from "../../http/errors.js";
import { fetchRows, isValidId } from "../../http/rows.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

/** Where a server is made: in a subnet of its environment's network, or in a zone of the region's default one. */
export interface Place {
  zone: string;
  subnetId: string | null;
}

interface Wanted {
  path: string;
  subnetId?: string | undefined;
}

/**
 * A place for each server: the one it asks for, or else the one that holds the fewest servers of the environment.
 *
 * @throws 404 or 422 where a subnet that is asked for does not fit, 409 where there is none to choose from
 */
export async function placements(
  db: Tx,
  environment: Environment & { providerId: number },
  wanted: Wanted[],
): Promise<Place[]> {
  const asked = new Map<string, Place>();
  for (const { subnetId, path } of wanted) {
    if (subnetId && !asked.has(subnetId)) asked.set(subnetId, await requireSubnet(db, environment, subnetId, path));
  }
  const isFree = wanted.some(({ subnetId }) => !subnetId);
  const choice = isFree ? await choiceIn(db, environment) : [];
  const counts = isFree ? await countByPlace(db, environment) : new Map<string, number>();
  return wanted.map(({ subnetId }) => {
    const place = subnetId ? (asked.get(subnetId) as Place) : leastUsed(choice, counts);
    counts.set(nameOf(place), (counts.get(nameOf(place)) ?? 0) + 1);
    return place;
  });
}

async function requireSubnet(db: Tx, environment: Environment, subnetId: string, path: string): Promise<Place> {
  const { accountId, networkId } = environment;
  const [subnet] = isValidId("subnet", subnetId)
    ? await fetchRows(
        db,
        "subnet",
        Prisma.sql`SELECT * FROM subnets WHERE id = ${subnetId} AND account_id = ${accountId} FOR SHARE`,
      )
    : [];
  if (!subnet) throw notFound();
  if (subnet.networkId !== networkId) {
    throw invalid(`${path}.subnet_id`, `the subnet ${subnetId} is not in the network of environment ${environment.id}`);
  }
  if (subnet.deletedAt) throw conflict(`the subnet ${subnetId} was deleted`);
  await assertNoOpenRequest(["deprovision_subnet"], db, "subnet", subnetId);
  if (!subnet.provisionedId) throw conflict(`the subnet ${subnetId} is not provisioned yet`);
  return placeIn(subnet);
}

async function choiceIn(db: Tx, environment: Environment & { providerId: number }): Promise<Place[]> {
  const { networkId, region, providerId } = environment;
  if (networkId) {
    const subnets = await fetchRows(
      db,
      "subnet",
      Prisma.sql`SELECT * FROM subnets WHERE network_id = ${networkId} AND deleted_at IS NULL
        AND provisioned_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM requests WHERE resource_type = 'subnet' AND resource_id = subnets.id::text
            AND finished_at IS NULL AND type = 'deprovision_subnet')
        ORDER BY location, id FOR SHARE`,
    );
    if (subnets.length === 0) throw conflict(`the network ${networkId} has no subnet to make servers in`);
    return subnets.map(placeIn);
  }
  const zones = await db.providerLocation.findMany({
    where: { providerId, parent: { locationId: region }, disabledAt: null },
    orderBy: { locationId: "asc" },
  });
  if (zones.length === 0) throw conflict(`no zones of ${region} are known; discover the location first`);
  return zones.map(({ locationId }) => ({ zone: locationId, subnetId: null }));
}

async function countByPlace(db: Tx, { id }: Environment): Promise<Map<string, number>> {
  const groups = await db.server.groupBy({
    by: ["location", "subnetId"],
    where: { environmentId: id, deletedAt: null },
    _count: true,
  });
  return new Map(groups.map(({ location, subnetId, _count }) => [nameOf({ zone: location, subnetId }), _count]));
}

function leastUsed(choice: Place[], counts: Map<string, number>): Place {
  const used = (place: Place) => counts.get(nameOf(place)) ?? 0;
  return choice.reduce((best, place) => (used(place) < used(best) ? place : best));
}

function nameOf({ zone, subnetId }: Place): string {
  return subnetId ?? zone;
}

function placeIn({ id, location }: Subnet): Place {
  return { zone: location, subnetId: id };
}
