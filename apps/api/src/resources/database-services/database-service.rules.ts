import type { DatabaseServer, DatabaseService, Environment, Network, Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

/** Where a database server is to stand. */
export interface Spot {
  providerId: number;
  region: string;
  zone: string;
}

const LOCATION = "database_server.location";
/** How many zones an error names. */
const NAMED_ZONES = 12;

/** @throws 422 where the provider has no such zone, in the region where one is named, or may not use it */
export async function requireSpot(db: Tx, providerId: number, zone: string, region?: string): Promise<Spot> {
  const zones = await db.providerLocation.findMany({
    where: { providerId, parentId: { not: null }, ...(region && { parent: { locationId: region } }) },
    include: { parent: true },
    orderBy: { locationId: "asc" },
  });
  const found = zones.find(({ locationId }) => locationId === zone);
  if (!found?.parent) {
    const near = zones.filter(({ parent }) => parent && zone.startsWith(parent.locationId));
    const known = (near.length > 0 ? near : zones).map(({ locationId }) => locationId).slice(0, NAMED_ZONES);
    throw invalid(LOCATION, `provider ${providerId} has no zone ${zone}: known are ${known.join(", ")}`);
  }
  if (found.disabledAt || found.parent.disabledAt) throw invalid(LOCATION, `the zone ${zone} is disabled`);
  return { providerId, region: found.parent.locationId, zone };
}

/**
 * Called with the network's row locked. RDS demands subnets in two zones, and one in the server's own.
 *
 * @throws 409 where the network cannot take databases now, 422 where it does not fit the spot
 */
export async function requireNetwork(db: Tx, network: Network, spot: Spot, multiAz: boolean): Promise<void> {
  if (network.deletedAt) throw conflict(`the network ${network.id} was deleted`);
  await assertNoOpenRequest(["deprovision_network"], db, "network", network.id);
  if (!network.provisionedId) throw conflict(`the network ${network.id} is not provisioned yet`);
  if (network.providerId !== spot.providerId) throw invalid("network", `is not of provider ${spot.providerId}`);
  if (network.location !== spot.region) throw invalid("network", `is in ${network.location}, not in ${spot.region}`);
  const zones = await zonesOf(db, network.id);
  if (zones.size < 2) throw invalid("network", "has subnets in fewer than two zones, which a database needs: add one");
  if (!multiAz) await requireZoneOf(db, network.id, spot.zone);
}

/** @throws 422 where the network has no subnet in the zone */
export async function requireZoneOf(db: Tx, networkId: string, zone: string): Promise<void> {
  const zones = await zonesOf(db, networkId);
  if (!zones.has(zone)) {
    throw invalid(LOCATION, `the network has no subnet in ${zone}: it has some in ${[...zones].sort().join(", ")}`);
  }
}

async function zonesOf(db: Tx, networkId: string): Promise<Set<string>> {
  const living = { networkId, deletedAt: null, provisionedId: { not: null } };
  const subnets = await db.subnet.findMany({ where: living, select: { location: true } });
  return new Set(subnets.map(({ location }) => location));
}

/** @throws 409 where the environment is gone, 422 where its servers could not reach the database */
export function requireEnvironment(environment: Environment, spot: Spot, networkId: string | null): void {
  if (environment.deletedAt) throw conflict(`the environment ${environment.id} was deleted`);
  const isNear = environment.region === spot.region && (environment.providerId ?? spot.providerId) === spot.providerId;
  if (!isNear) throw invalid("environment", `is not in ${spot.region} of provider ${spot.providerId}`);
  if (environment.networkId !== networkId) throw invalid("environment", "is not in the database's network");
}

/** @throws 409 where a living database of the account has the name */
export async function requireFreeName(db: Tx, accountId: string, name: string, except?: string): Promise<void> {
  const where = { accountId, name, deletedAt: null, ...(except && { id: { not: except } }) };
  const living = await db.databaseService.findFirst({ where, select: { id: true } });
  if (living) throw conflict(`the account has a database service of this name: ${living.id}`);
}

export function masterOf(db: Tx, { id }: Pick<DatabaseService, "id">): Promise<DatabaseServer> {
  return db.databaseServer.findFirstOrThrow({ where: { databaseServiceId: id, replicationSourceId: null } });
}

/**
 * Called with the service's row locked.
 *
 * @throws 409 where nothing can be done with the service's servers now
 */
export async function requireStanding(db: Tx, service: DatabaseService): Promise<void> {
  if (service.deletedAt) throw conflict(`the database service ${service.id} was deleted`);
  const types = ["deprovision_database_service", "provision_database_service"] as const;
  await assertNoOpenRequest(types, db, "database_service", service.id);
}

/** @throws 409 where the server is gone or not there yet */
export function requireServer({ id, deletedAt, provisionedId }: DatabaseServer): string {
  if (deletedAt) throw conflict(`the database server ${id} was deleted`);
  if (!provisionedId) throw conflict(`the database server ${id} is not provisioned yet`);
  return provisionedId;
}
