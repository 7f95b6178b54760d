import type { DatabaseServer, DatabaseService, Environment, Network, Provider, Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { hasUnfinishedRequests } from "../../http/conflicts/request-conflicts.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { resolveEncryption } from "../accounts/account.encryption.js";
import { findDatabaseOffers } from "../database-engines/database-engine.offers.js";
import {
  type DatabaseServerInput,
  requireCompatible,
  requireEncryptable,
  requireEngine,
} from "../database-engines/database-engine.rules.js";
import { requireSameAccount } from "../environments/environment.placement.js";
import { findZone, requireUsable, type Zone } from "../providers/provider.rules.js";
import { requireNetworkIfShared } from "../providers/shared-provider.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { requireLevel } from "./database-service.levels.js";

/** The parameter that names a database server's zone. */
export const LOCATION_PATH = "database_server.location";

/** The parameters of a new database whose allowed values may have changed through others. */
interface WantedDatabase extends DatabaseServerInput {
  serviceLevel: string;
  /** If undefined, encrypted if the server supports it. */
  encrypted: boolean | undefined;
  networkId: string | null;
  environmentId: number | null;
}

/**
 * Requires that the provider can have the database now.
 *
 * @returns the records that the parameters name; the network and the environment are locked against removal
 * @throws 404, 409 or 422 if the provider, network or environment cannot be used now, AWS does not offer the server, or
 * the account requires encryption
 */
export async function requireAllowedDatabase(caller: Caller, db: Tx, provider: Provider, wanted: WantedDatabase) {
  requireUsable(provider);
  if (wanted.networkId === null) requireNetworkIfShared(provider, "a database", "network");
  const { accountId } = provider;
  const multiAz = wanted.modifiers?.multi_az ?? false;
  requireLevel(wanted.serviceLevel, multiAz);
  const location = await findZone(db, { providerId: provider.id, zone: wanted.location }, LOCATION_PATH);
  const { offers } = await findDatabaseOffers(db, location);
  const { engine, version } = requireEngine(offers, wanted);
  const offer = requireCompatible(offers, engine, wanted);
  const encrypted = await resolveEncryption(db, accountId, {
    path: "database_server.storage_encrypted",
    requested: wanted.encrypted,
    byDefault: offer.isEncryptable,
  });
  if (encrypted) requireEncryptable(wanted.flavor, offer);
  const network = wanted.networkId === null ? null : await caller.find("network", wanted.networkId, "share");
  if (network) await requireNetwork(db, network, location, multiAz);
  const environment =
    wanted.environmentId === null ? null : await caller.find("environment", wanted.environmentId, "share");
  if (network) requireSameAccount(network, { accountId }, "network");
  if (environment) {
    requireSameAccount(environment, { accountId }, "environment");
    requireEnvironment(environment, location, network?.id ?? null);
  }
  return { location, engine, version, offer, encrypted, network, environment };
}

/**
 * Call it with the network's row locked. RDS requires subnets in two zones, and one in the server's zone.
 *
 * @throws 409 if the network is not usable now, 422 if it does not fit the location
 */
async function requireNetwork(db: Tx, network: Network, location: Zone, multiAz: boolean): Promise<void> {
  requireProvisioned("network", network);
  if (network.providerId !== location.providerId)
    throw invalid("network", `does not belong to provider ${location.providerId}`);
  if (network.location !== location.region)
    throw invalid("network", `is in ${network.location}, not in ${location.region}`);
  const zones = await findSubnetZones(db, network.id);
  if (zones.size < 2) throw invalid("network", "has subnets in fewer than two zones; add one in another zone");
  if (!multiAz) await requireSubnetInZone(db, network.id, location.zone);
}

/** @throws 422 if the network has no subnet in the zone */
export async function requireSubnetInZone(db: Tx, networkId: string, zone: string): Promise<void> {
  const zones = await findSubnetZones(db, networkId);
  if (!zones.has(zone)) {
    throw invalid(
      LOCATION_PATH,
      `the network has no subnet in ${zone}; it has subnets in ${[...zones].sort().join(", ")}`,
    );
  }
}

async function findSubnetZones(db: Tx, networkId: string): Promise<Set<string>> {
  const provisioned = { networkId, deletedAt: null, provisionedId: { not: null } };
  const subnets = await db.subnet.findMany({ where: provisioned, select: { location: true } });
  return new Set(subnets.map(({ location }) => location));
}

/** @throws 409 if the environment was deleted, 422 if its servers could not connect to the database */
function requireEnvironment(environment: Environment, location: Zone, networkId: string | null): void {
  requireLive("environment", environment);
  const isSameRegion =
    environment.region === location.region && (environment.providerId ?? location.providerId) === location.providerId;
  if (!isSameRegion) throw invalid("environment", `is not in ${location.region} of provider ${location.providerId}`);
  if (environment.networkId !== networkId) throw invalid("environment", "is not in the database's network");
}

/** @throws 409 if another database of the account has the name */
export async function requireFreeName(db: Tx, accountId: string, name: string, except?: string): Promise<void> {
  const where = { accountId, name, deletedAt: null, ...(except && { id: { not: except } }) };
  const other = await db.databaseService.findFirst({ where, select: { id: true } });
  if (other)
    throw conflict(`the account already has a database service with this name: ${other.id}`, {
      path: "database_service.name",
      blocking: [`database-services/${other.id}`],
    });
}

/** @throws 409 if a replica that becomes the database's master has not moved into it yet */
export async function findMaster(db: Tx, service: Pick<DatabaseService, "id">): Promise<DatabaseServer> {
  const master = await findMasterIfAny(db, service);
  if (!master)
    throw conflict(`database service ${service.id} has no master yet: the promotion of a replica is not over`);
  return master;
}

/** The master of a database; null until the replica that becomes it has moved into the database. */
export function findMasterIfAny(db: Tx, { id }: Pick<DatabaseService, "id">): Promise<DatabaseServer | null> {
  return db.databaseServer.findFirst({ where: { databaseServiceId: id, replicationSourceId: null } });
}

/**
 * Requires that no replica is being promoted: a certain one, or one of a certain database. Call it with the record's row locked.
 *
 * @throws 409 that names the unfinished Request
 */
export async function assertNotPromoted(
  db: Tx,
  type: "database_server" | "database_service",
  { id, accountId }: Pick<DatabaseService, "id" | "accountId">,
): Promise<void> {
  const field = type === "database_server" ? "serverId" : "formerServiceId";
  const promotion = await findPromotion(db, accountId, field, id);
  if (promotion) throw hasUnfinishedRequests({ type, id }, [promotion]);
}

/**
 * Requires that neither a server nor a replica of it is being promoted. Call it with the row of its service locked.
 *
 * @throws 409 that names the unfinished Request
 */
export async function assertNoPromotion(
  db: Tx,
  server: Pick<DatabaseServer, "id" | "accountId" | "databaseServiceId" | "replicationSourceId">,
): Promise<void> {
  const { id, accountId, databaseServiceId, replicationSourceId } = server;
  if (replicationSourceId !== null) return assertNotPromoted(db, "database_server", server);
  // All replicas of a database replicate its master.
  const promotion = await findPromotion(db, accountId, "formerServiceId", databaseServiceId);
  if (promotion) throw hasUnfinishedRequests({ type: "database_server", id }, [promotion]);
}

function findPromotion(db: Tx, accountId: string, field: "serverId" | "formerServiceId", id: string) {
  return db.request.findFirst({
    where: { accountId, type: "promote_database_server", finishedAt: null, input: { path: [field], equals: id } },
    select: { id: true, type: true },
  });
}

/**
 * Call it with the service's row locked.
 *
 * @throws 409 if the service was deleted or is being provisioned
 */
export async function requireIdleService(db: Tx, service: DatabaseService): Promise<void> {
  requireLive("databaseService", service);
  const making = ["provision_database_service", "promote_database_server"] as const;
  await assertNoUnfinishedRequest(making, db, "database_service", service.id);
}

/** @throws 409 if the service is protected against its removal; call it with its row locked */
export function requireUnprotected({ id, deletionProtection }: DatabaseService): void {
  if (!deletionProtection) return;
  const way = `change it with PUT /database-services/${id} to \`deletion_protection\`: false first`;
  throw conflict(`database service ${id} has deletion_protection; ${way}`, { blocking: [`database-services/${id}`] });
}

/** Why a Request on a stopped database server would fail. */
export function warningsOfStopped({ state }: DatabaseServer): string[] {
  return state === "stopped" ? ["The database server is stopped; start it first"] : [];
}
