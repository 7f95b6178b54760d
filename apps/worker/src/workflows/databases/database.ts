import type { DatabaseServer, DatabaseService, Firewall } from "@gantry/db";
import type { CloudLocation } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";

/** A database with its master, its firewall and its location. */
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
  const { providerId, region, environmentId } = service;
  return { service, master, firewall, location: { providerId, region, environmentId } };
}

/** The owner of the objects of one of a database's parts, as a part of their location. */
export function ownedBy(type: "database_server" | "database_server_snapshot" | "firewall", id: string | number) {
  return { owner: { type, id: String(id) } };
}

/** Marks a database, its servers and its firewall as deleted with one timestamp, by which a retry finds them all. */
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

/** Updates the replica count of a database. */
export async function updateReplicaCount(db: FencedDb, serviceId: string): Promise<void> {
  const replicas = { databaseServiceId: serviceId, replicationSourceId: { not: null }, deletedAt: null };
  const replicaCount = await db.databaseServer.count({ where: { ...replicas, provisionedId: { not: null } } });
  await db.databaseService.update({ where: { id: serviceId }, data: { replicaCount } });
}
