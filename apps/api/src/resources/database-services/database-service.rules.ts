import type { DatabaseServer, DatabaseService, Environment, Network, Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors.js";
import { requireUsableNetwork } from "../networks/network.rules.js";
import { assertNoOpenRequest } from "../open-requests.js";
import type { Zone } from "../providers/provider.rules.js";

/** The parameter that names a database server's zone. */
export const LOCATION_PATH = "database_server.location";

/**
 * Call it with the network's row locked. RDS requires subnets in two zones, and one in the server's zone.
 *
 * @throws 409 where the network is not usable now, 422 where it does not fit the location
 */
export async function requireNetwork(db: Tx, network: Network, location: Zone, multiAz: boolean): Promise<void> {
  await requireUsableNetwork(db, network);
  if (network.providerId !== location.providerId) throw invalid("network", `is not of provider ${location.providerId}`);
  if (network.location !== location.region)
    throw invalid("network", `is in ${network.location}, not in ${location.region}`);
  const zones = await findSubnetZones(db, network.id);
  if (zones.size < 2) throw invalid("network", "has subnets in fewer than two zones: add one in another zone");
  if (!multiAz) await requireSubnetInZone(db, network.id, location.zone);
}

/** @throws 422 where the network has no subnet in the zone */
export async function requireSubnetInZone(db: Tx, networkId: string, zone: string): Promise<void> {
  const zones = await findSubnetZones(db, networkId);
  if (!zones.has(zone)) {
    throw invalid(LOCATION_PATH, `the network has no subnet in ${zone}: its zones are ${[...zones].sort().join(", ")}`);
  }
}

async function findSubnetZones(db: Tx, networkId: string): Promise<Set<string>> {
  const provisioned = { networkId, deletedAt: null, provisionedId: { not: null } };
  const subnets = await db.subnet.findMany({ where: provisioned, select: { location: true } });
  return new Set(subnets.map(({ location }) => location));
}

/** @throws 409 where the environment was deleted, 422 where its servers could not connect to the database */
export function requireEnvironment(environment: Environment, location: Zone, networkId: string | null): void {
  const about = { model: "environment", id: environment.id } as const;
  if (environment.deletedAt) throw conflict(`the environment ${environment.id} was deleted`, { about });
  const isSameRegion =
    environment.region === location.region && (environment.providerId ?? location.providerId) === location.providerId;
  if (!isSameRegion) throw invalid("environment", `is not in ${location.region} of provider ${location.providerId}`);
  if (environment.networkId !== networkId) throw invalid("environment", "is not in the database's network");
}

/** @throws 409 where another database of the account has the name */
export async function requireFreeName(db: Tx, accountId: string, name: string, except?: string): Promise<void> {
  const where = { accountId, name, deletedAt: null, ...(except && { id: { not: except } }) };
  const other = await db.databaseService.findFirst({ where, select: { id: true } });
  if (other)
    throw conflict(`the account has a database service of this name: ${other.id}`, {
      path: "database_service.name",
      blocking: [`database-services/${other.id}`],
    });
}

export function findMaster(db: Tx, { id }: Pick<DatabaseService, "id">): Promise<DatabaseServer> {
  return db.databaseServer.findFirstOrThrow({ where: { databaseServiceId: id, replicationSourceId: null } });
}

/**
 * Call it with the service's row locked.
 *
 * @throws 409 where the service was deleted, or is being provisioned or deprovisioned
 */
export async function requireIdleService(db: Tx, service: DatabaseService): Promise<void> {
  if (service.deletedAt) throw conflict(`the database service ${service.id} was deleted`);
  const types = ["deprovision_database_service", "provision_database_service"] as const;
  await assertNoOpenRequest(types, db, "database_service", service.id);
}
