import type { DatabaseServer, DatabaseService, Firewall } from "@gantry/db";
import type { CloudLocation } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";

/** A database with its master, the firewall around it and where it is made. */
export interface Database {
  service: DatabaseService;
  master: DatabaseServer;
  firewall: Firewall;
  location: CloudLocation;
}

export async function findDatabase(db: FencedDb, id: string): Promise<Database> {
  const service = await db.databaseService.findUniqueOrThrow({ where: { id } });
  const [master, firewall] = await Promise.all([
    db.databaseServer.findFirstOrThrow({ where: { databaseServiceId: id, replicationSourceId: null } }),
    db.firewall.findFirstOrThrow({ where: { databaseServiceId: id } }),
  ]);
  return { service, master, firewall, location: { providerId: service.providerId, region: service.region } };
}

/** The location of what is made for one of a database's parts. */
export function ownedBy(type: "database_server" | "database_server_snapshot" | "firewall", id: string | number) {
  return { owner: { type, id: String(id) } };
}

/** The port that an engine listens on. */
export function portOf(engine: string): number {
  return engine === "postgres" ? 5432 : 3306;
}

/** Marks a database, its servers and its firewall as deleted at one moment, by which a retry knows them together. */
export async function markDatabaseDeleted(db: FencedDb, serviceId: string): Promise<void> {
  const deletedAt = new Date();
  const ofService = { databaseServiceId: serviceId, deletedAt: null };
  await db.alert.updateMany({
    where: { databaseServer: { databaseServiceId: serviceId }, finishedAt: null },
    data: { finishedAt: deletedAt },
  });
  await db.firewallRule.updateMany({
    where: { firewall: { databaseServiceId: serviceId }, deletedAt: null },
    data: { deletedAt },
  });
  await db.firewall.updateMany({ where: ofService, data: { deletedAt } });
  await db.databaseServer.updateMany({ where: ofService, data: { deletedAt } });
  await db.databaseService.update({ where: { id: serviceId }, data: { deletedAt } });
}

/** Counts the replicas of a database anew. */
export async function updateReplicaCount(db: FencedDb, serviceId: string): Promise<void> {
  const replicas = { databaseServiceId: serviceId, replicationSourceId: { not: null }, deletedAt: null };
  const replicaCount = await db.databaseServer.count({ where: { ...replicas, provisionedId: { not: null } } });
  await db.databaseService.update({ where: { id: serviceId }, data: { replicaCount } });
}
