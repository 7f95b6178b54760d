import type { DatabaseServer, DatabaseService, Firewall } from "@gantry/db";
import { findDefaultVpc } from "../../aws/ec2/default-vpc.js";
import { securityGroup } from "../../aws/ec2/security-group.js";
import { kinds } from "../../aws/kinds.js";
import type { CloudLocation } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** A database with its master, its firewall and its location. */
export interface Database {
  service: DatabaseService;
  master: DatabaseServer;
  firewall: Firewall;
  location: CloudLocation;
}

/** Returns a database, whose master is null until the replica that becomes it has moved into the database. */
export async function findDatabaseParts(
  db: FencedDb,
  id: string,
): Promise<Omit<Database, "master"> & { master: DatabaseServer | null }> {
  const service = await db.databaseService.findUniqueOrThrow({ where: { id } });
  const [master, firewall] = await Promise.all([
    db.databaseServer.findFirst({ where: { databaseServiceId: id, replicationSourceId: null } }),
    db.firewall.findFirstOrThrow({ where: { databaseServiceId: id } }),
  ]);
  const { providerId, region, environmentId } = service;
  return { service, master, firewall, location: { providerId, region, environmentId } };
}

/** @throws PermanentFailure if the database has no master yet */
export async function findDatabase(db: FencedDb, id: string): Promise<Database> {
  const { master, ...parts } = await findDatabaseParts(db, id);
  if (!master) throw permanent("The database has no master");
  return { ...parts, master };
}

/** Creates the security group of a database, in its network or in the default VPC, and records it. */
export async function createDatabaseFirewall({
  resourceId,
  db,
  cloud,
}: Pick<AwsStageContext, "resourceId" | "db" | "cloud">): Promise<void> {
  const { service, firewall, location } = await findDatabaseParts(db, resourceId);
  const scope = cloud({ ...location, ...ownedBy("firewall", firewall.id) });
  const vpcId = firewall.vpcProvisionedId ?? (await scope.call(findDefaultVpc));
  if (!vpcId) throw permanent(`The AWS account has no default VPC in ${location.region}; use a network`);
  const name = `gantry-database-${service.id}`;
  const groupId = await scope.ensure(securityGroup, { name, description: `Database ${service.id}`, vpcId });
  await db.firewall.update({
    where: { id: firewall.id },
    data: { provisionedId: groupId, vpcProvisionedId: vpcId },
  });
}

/** The owner of the objects of one of a database's parts, as a part of their location. */
export function ownedBy(type: "database_server" | "database_server_snapshot" | "firewall", id: string | number) {
  return { owner: { type, id: String(id) } };
}

/** Removes the rules of a database's firewall from AWS. */
export async function removeDatabaseRules(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  firewallId: number,
  location: CloudLocation,
): Promise<void> {
  const rules = await db.firewallRule.findMany({ where: { firewallId }, select: { id: true } });
  for (const { id } of rules)
    await cloud({ ...location, owner: { type: "firewall_rule", id: String(id) } }).removeAll(kinds);
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
