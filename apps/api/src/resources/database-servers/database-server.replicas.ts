import { type DatabaseServer, type DatabaseService, insertInto, type Prisma, type Tx, type Vault } from "@gantry/db";
import { field, type Tags } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import { ownTags } from "../../http/lists/tags.js";
import { requiresEncryption } from "../accounts/account.encryption.js";
import { findDatabaseOffers } from "../database-engines/database-engine.offers.js";
import { requireFlavor } from "../database-engines/database-engine.rules.js";
import { LOCATION_PATH, requireIdleService, requireSubnetInZone } from "../database-services/database-service.rules.js";
import { flavorName } from "../flavor-name.js";
import { findZone } from "../providers/provider.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/** The maximum number of replicas of a master: RDS's for each of its engines here ("Quotas and constraints for Amazon RDS"). */
const MAX_REPLICAS = 15;

const NESTED_PATH = "database_server.replication_source";

const nestedInput = strict({
  flavor: flavorName.optional(),
  location: field(z.string().optional(), "us-east-1"),
  replication_source: uuidOf("database-servers").optional(),
  tags: ownTags,
});

/** The input of a replica, which names its source beside `database_server` or in it. */
export const replicaInput = strict({
  replication_source: uuidOf("database-servers").optional(),
  database_server: nestedInput.prefault({}),
})
  .transform(
    ({ replication_source: outer, database_server: { replication_source: nested, ...attributes } }, context) => {
      const refuse = (path: string, message: string) => {
        context.addIssue({ code: "custom", path: path.split("."), message });
        return z.NEVER;
      };
      const [sourceId, sourcePath] = outer === undefined ? [nested, NESTED_PATH] : [outer, "replication_source"];
      if (sourceId === undefined) return refuse("replication_source", "is required");
      if (nested !== undefined && nested !== sourceId)
        return refuse(NESTED_PATH, "names a different database server than replication_source");
      return { sourceId, sourcePath, ...attributes };
    },
  )
  .meta({ example: { replication_source: "0190c4a2-1111-7111-8111-111111111111" } });

/**
 * Requires that the service can have the replica now. Call it with the service's row locked.
 *
 * @param path the parameter that names the source
 * @param except the replica itself, if it is provisioned again
 * @throws 409 if the service or the source cannot be used now or has as many replicas as RDS allows, 422 if the source
 * is not the encrypted master that it must be, or AWS does not offer the server in the zone
 */
export async function requireAllowedReplica(
  db: Tx,
  service: DatabaseService,
  source: DatabaseServer,
  { flavor, location }: Pick<DatabaseServer, "flavor" | "location">,
  path: string,
  except?: string,
): Promise<void> {
  await requireIdleService(db, service);
  // The replica's record would get the former password.
  await assertNoUnfinishedRequest(["rotate_database_credentials"], db, "database_service", service.id);
  requireProvisioned("database_server", source);
  // RDS stops no server with replicas.
  await assertNoUnfinishedRequest(["update_database_server"], db, "database_server", source.id);
  requireMaster(source, path);
  await requireEncryptedSource(db, source, path);
  await requireReplicaCapacity(db, service, path, except);
  const { providerId, region, networkId } = source;
  const { offers } = await findDatabaseOffers(db, { providerId, region });
  requireFlavor(offers, source.engine, { flavor, zone: location });
  await findZone(db, { providerId, region, zone: location }, LOCATION_PATH);
  if (networkId) await requireSubnetInZone(db, networkId, location);
}

/**
 * Call it with the server's row locked.
 *
 * @throws 409 if it is a master, or its service is being deprovisioned
 */
export async function requireRemovableReplica(db: Tx, server: DatabaseServer): Promise<void> {
  const { id, replicationSourceId, databaseServiceId } = server;
  if (!replicationSourceId) {
    throw conflict(`database server ${id} is a master; delete database service ${databaseServiceId} instead`, {
      blocking: [`database-services/${databaseServiceId}`],
    });
  }
  await assertNoUnfinishedRequest(["deprovision_database_service"], db, "database_service", databaseServiceId);
}

/** @throws 422 if the server is a replica itself */
function requireMaster({ replicationSourceId }: DatabaseServer, path: string): void {
  if (replicationSourceId) throw invalid(path, `is itself a replica; use ${replicationSourceId}`);
}

/** @throws 422 if the account requires encryption and the server has none, which its replicas would share */
async function requireEncryptedSource(
  db: Tx,
  { accountId, storageEncrypted }: DatabaseServer,
  path: string,
): Promise<void> {
  if (storageEncrypted || !(await requiresEncryption(db, accountId))) return;
  throw invalid(path, "is not encrypted, but the account requires encryption");
}

/**
 * Call it with the service's row locked.
 *
 * @throws 409 if the database has as many replicas as RDS allows
 */
async function requireReplicaCapacity(
  db: Tx,
  { id }: DatabaseService,
  path: string,
  except: string | undefined,
): Promise<void> {
  const replicas = await db.databaseServer.findMany({
    where: {
      databaseServiceId: id,
      replicationSourceId: { not: null },
      deletedAt: null,
      ...(except && { id: { not: except } }),
    },
    select: { id: true },
  });
  if (replicas.length >= MAX_REPLICAS)
    throw conflict(`database service ${id} has ${replicas.length} replicas, the maximum that RDS allows`, {
      path,
      blocking: replicas.map((replica) => `database-servers/${replica.id}`),
    });
}

/** The insert of a replica's row: its source's values, except for `overrides`. */
export async function insertReplica(
  vault: Vault,
  source: DatabaseServer,
  overrides: { flavor: string; location: string; tags: Tags },
): Promise<{ id: string; row: Prisma.Sql }> {
  const id = uuidv7();
  const { accountId, providerId, networkId, region, engine, version } = source;
  const { storageGb, storageType, storageEncrypted, backupRetentionPeriod, username } = source;
  const secretLocation = (id: string) => ({ table: "database_servers", column: "password", id, account: accountId });
  const password =
    source.password &&
    (await vault.encrypt(await vault.decrypt(source.password, secretLocation(source.id)), secretLocation(id)));
  const row = insertInto("database_servers", {
    ...{ accountId, providerId, networkId, region, engine, version },
    ...{ storageGb, storageType, storageEncrypted, backupRetentionPeriod, username },
    ...overrides,
    id,
    databaseServiceId: source.databaseServiceId,
    replicationSourceId: source.id,
    backupWindow: source.backupWindow as Prisma.InputJsonObject,
    maintenanceWindow: source.maintenanceWindow as Prisma.InputJsonObject,
    password,
  });
  return { id, row };
}
