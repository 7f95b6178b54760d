import { type DatabaseServer, type DatabaseService, insertInto, type Prisma, type Tx, type Vault } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { conflict, invalid } from "../../http/errors.js";
import { AURORA } from "../database-engines/offers.js";

/** How many replicas RDS allows a master ("Quotas and constraints for Amazon RDS"). */
const LIMITS: Readonly<Record<string, number>> = { [AURORA]: 15 };
const USUAL_LIMIT = 5;

/** @throws 422 where the server is a replica itself */
export function requireMaster({ replicationSourceId }: DatabaseServer): void {
  if (replicationSourceId) throw invalid("replication_source", `is a replica itself: name ${replicationSourceId}`);
}

/**
 * Called with the service's row locked.
 *
 * @throws 409 where the database has as many replicas as RDS allows
 */
export async function requireRoomForReplica(db: Tx, { id, engine }: DatabaseService): Promise<void> {
  const limit = LIMITS[engine] ?? USUAL_LIMIT;
  const replicas = { databaseServiceId: id, replicationSourceId: { not: null }, deletedAt: null };
  const count = await db.databaseServer.count({ where: replicas });
  if (count >= limit) throw conflict(`the database service ${id} has ${count} replicas, and RDS allows no more`);
}

/** The statement that writes a replica's row: what it does not choose itself is as its source has it. */
export async function insertReplica(
  vault: Vault,
  source: DatabaseServer,
  chosen: { flavor: string; location: string },
): Promise<{ id: string; row: Prisma.Sql }> {
  const id = uuidv7();
  const { accountId, providerId, networkId, region, engine, version } = source;
  const { storageGb, storageType, storageEncrypted, backupRetentionPeriod, username } = source;
  const place = (id: string) => ({ table: "database_servers", column: "password", id, account: accountId });
  const password =
    source.password && (await vault.seal(await vault.open(source.password, place(source.id)), place(id)));
  const row = insertInto("database_servers", {
    ...{ accountId, providerId, networkId, region, engine, version },
    ...{ storageGb, storageType, storageEncrypted, backupRetentionPeriod, username },
    ...chosen,
    id,
    databaseServiceId: source.databaseServiceId,
    replicationSourceId: source.id,
    backupWindow: source.backupWindow as Prisma.InputJsonObject,
    maintenanceWindow: source.maintenanceWindow as Prisma.InputJsonObject,
    password,
  });
  return { id, row };
}
