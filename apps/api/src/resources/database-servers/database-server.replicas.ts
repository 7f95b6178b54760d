import { type DatabaseServer, type DatabaseService, insertInto, type Prisma, type Tx, type Vault } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { conflict, invalid } from "../../http/errors.js";
import { requiresEncryption } from "../accounts/account.encryption.js";

/** The maximum number of replicas of a master: RDS's for each of its engines here ("Quotas and constraints for Amazon RDS"). */
const MAX_REPLICAS = 15;

/** @throws 422 where the server is a replica itself */
export function requireMaster({ replicationSourceId }: DatabaseServer): void {
  if (replicationSourceId) throw invalid("replication_source", `is a replica itself: name ${replicationSourceId}`);
}

/** @throws 422 where the account requires encryption and the server has none, which its replicas would share */
export async function requireEncryptedSource(db: Tx, { accountId, storageEncrypted }: DatabaseServer): Promise<void> {
  if (storageEncrypted || !(await requiresEncryption(db, accountId))) return;
  throw invalid("replication_source", "is not encrypted, and the account's setting encryption is required");
}

/**
 * Call it with the service's row locked.
 *
 * @throws 409 where the database has as many replicas as RDS allows
 */
export async function requireReplicaCapacity(db: Tx, { id }: DatabaseService): Promise<void> {
  const replicas = { databaseServiceId: id, replicationSourceId: { not: null }, deletedAt: null };
  const count = await db.databaseServer.count({ where: replicas });
  if (count >= MAX_REPLICAS) throw conflict(`the database service ${id} has ${count} replicas, and RDS allows no more`);
}

/** The insert of a replica's row: its source's values, except for `overrides`. */
export async function insertReplica(
  vault: Vault,
  source: DatabaseServer,
  overrides: { flavor: string; location: string },
): Promise<{ id: string; row: Prisma.Sql }> {
  const id = uuidv7();
  const { accountId, providerId, networkId, region, engine, version } = source;
  const { storageGb, storageType, storageEncrypted, backupRetentionPeriod, username } = source;
  const secretLocation = (id: string) => ({ table: "database_servers", column: "password", id, account: accountId });
  const password =
    source.password &&
    (await vault.seal(await vault.open(source.password, secretLocation(source.id)), secretLocation(id)));
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
