import { kinds } from "../../aws/kinds.js";
import { childForEach } from "../../engine/children.js";
import { awsWorkflow, ownersOf } from "../aws-workflow.js";
import { findDatabaseParts, markDatabaseDeleted, ownedBy, removeDatabaseRules } from "./database.js";
import { requireDeletedInstance } from "./database-state.js";
import { takeSnapshot } from "./snapshot.js";
import { leaveSubnetGroup } from "./subnet-group-heir.js";

/** Removes a database: its replicas by child Requests, then its master and the objects that it depends on. */
export const deprovisionDatabaseService = awsWorkflow({
  type: "deprovision_database_service",
  removesObjectsOf: async (context) => {
    const { db, resourceId: databaseServiceId } = context;
    await leaveSubnetGroup(context);
    const ofService = { databaseServiceId, deletedAt: null };
    const [servers, firewalls] = await Promise.all([
      db.databaseServer.findMany({ where: ofService, select: { id: true } }),
      db.firewall.findMany({ where: ofService, include: { rules: { select: { id: true } } } }),
    ]);
    return [
      { type: "database_service", id: databaseServiceId },
      ...ownersOf("database_server", servers),
      ...ownersOf("firewall", firewalls),
      ...ownersOf(
        "firewall_rule",
        firewalls.flatMap(({ rules }) => rules),
      ),
    ];
  },
  stages: {
    "remove-replicas": async ({ resourceId, db, children }) => {
      const replicas = await db.databaseServer.findMany({
        where: { databaseServiceId: resourceId, replicationSourceId: { not: null }, deletedAt: null },
        select: { id: true },
      });
      await children.finish(childForEach("deprovision_database_server", "database_server", replicas));
    },

    destroy: async ({ resourceId, input, db, cloud }) => {
      const { service, master, firewall, location } = await findDatabaseParts(db, resourceId);
      const { finalSnapshotId: snapshotId } = input;
      const instanceId = master?.provisionedId;
      const { clusterId } = service;
      const masterScope = master && cloud({ ...location, ...ownedBy("database_server", master.id) });

      // RDS deletes a cluster only without members. The final snapshot deletes the instance or the cluster with it.
      if (clusterId) await masterScope?.removeAll(kinds);
      if (masterScope && clusterId && instanceId) await requireDeletedInstance(masterScope, instanceId);
      if (snapshotId && instanceId) {
        const snapshotScope = cloud({ ...location, ...ownedBy("database_server_snapshot", snapshotId) });
        await takeSnapshot(db, snapshotScope, { snapshotId, instanceId, clusterId, isFinal: true });
      }
      await masterScope?.removeAll(kinds);
      await cloud(location).removeAll(kinds);
      await removeDatabaseRules({ db, cloud }, firewall.id, location);
      await cloud({ ...location, ...ownedBy("firewall", firewall.id) }).removeAll(kinds);
      if (snapshotId && !instanceId) {
        const unused = { deletedAt: new Date(), state: "error" };
        await db.databaseServerSnapshot.update({ where: { id: snapshotId }, data: unused });
      }
      await markDatabaseDeleted(db, resourceId);
    },
  },
});
