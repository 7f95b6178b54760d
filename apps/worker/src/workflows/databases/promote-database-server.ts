import { Prisma } from "@gantry/db";
import { backupWindowOf, databaseSettings, maintenanceWindowOf, windowsOverlap } from "@gantry/resources";
import { type PromotionSettings, promoteDbInstance, setMasterAccess } from "../../aws/rds/db-instance.js";
import type { DbInstanceState } from "../../aws/rds/instance-state.js";
import { permanent } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { allowEnvironment } from "../firewalls/allow-environment.js";
import { createDatabaseFirewall, findDatabaseParts, updateReplicaCount } from "./database.js";
import { observedColumns, requireAvailableInstance, untilChanged } from "./database-state.js";
import { passwordLocation } from "./master-password.js";

/**
 * Makes a replica the master of a new database. Nothing undoes the promotion: RDS shows whether it is made, by which a later run,
 * or a retry, completes the rest. The replica's record stays in the former database until RDS has applied all.
 */
export const promoteDatabaseServer = awsWorkflow({
  type: "promote_database_server",
  stages: {
    "create-firewall": createDatabaseFirewall,

    promote: async (context) => {
      const { db, recordProgress } = context;
      const { server, provisionedId, scope, isMoved } = await findReplica(context);
      if (isMoved) return;
      const seen = await requireAvailableInstance(scope, provisionedId);
      if (seen.sourceId === undefined) return;
      const source = await db.databaseServer.findUniqueOrThrow({ where: { id: server.replicationSourceId ?? "" } });
      await scope.call(promoteDbInstance(provisionedId, promotionOf(databaseSettings(source), seen)));
      recordProgress();
      throw untilChanged(scope, provisionedId, seen);
    },

    "set-password": async (context) => {
      const { resourceId, db, vault } = context;
      const { provisionedId, scope, isMoved } = await findReplica(context);
      if (isMoved) return;
      const { service, firewall } = await findDatabaseParts(db, resourceId);
      const { provisionedId: securityGroupId } = firewall;
      if (!service.password || !securityGroupId) throw permanent("The database has no credentials or no firewall");
      await requireAvailableInstance(scope, provisionedId);
      const password = await vault.decrypt(service.password, passwordLocation(service));
      await scope.call(setMasterAccess(provisionedId, { password, securityGroupId, deletionProtection: true }));
    },

    move: async (context) => {
      const { resourceId: id, input, db, vault } = context;
      const { server, provisionedId, scope, isMoved } = await findReplica(context);
      const { service, firewall } = await findDatabaseParts(db, id);
      if (!isMoved) {
        const seen = await requireAvailableInstance(scope, provisionedId);
        const [groupId, ...others] = seen.securityGroupIds;
        if (groupId !== firewall.provisionedId || others.length > 0) throw untilChanged(scope, provisionedId, seen);
        if (!service.password) throw permanent("The database has no credentials");
        const password = await vault.decrypt(service.password, passwordLocation(service));
        const location = { ...passwordLocation(server), table: "database_servers" };
        // One row: the server is never a master of the former database.
        const data = {
          ...observedColumns(provisionedId, server.engine, seen),
          ...{ databaseServiceId: id, replicationSourceId: null, state: "available", pending: Prisma.DbNull },
          password: await vault.encrypt(password, location),
        };
        await db.databaseServer.update({ where: { id: server.id }, data });
      }
      const { flavor, multiAz, version } = await db.databaseServer.findUniqueOrThrow({ where: { id: server.id } });
      const ofMaster = { masterFlavor: flavor, masterMultiAz: multiAz, version };
      await db.databaseService.update({ where: { id }, data: ofMaster });
      await updateReplicaCount(db, input.formerServiceId);
      await allowEnvironment(context, service.environmentId);
    },
  },
});

type Context = Pick<AwsStageContext, "db" | "resourceId" | "cloud"> & { input: { serverId: string } };

async function findReplica({ resourceId, input, db, cloud }: Context) {
  const server = await db.databaseServer.findUniqueOrThrow({ where: { id: input.serverId } });
  const { provisionedId, providerId, region, deletedAt } = server;
  if (!provisionedId || deletedAt) throw permanent("The database server does not exist in AWS");
  const isMoved = server.databaseServiceId === resourceId;
  return { server, provisionedId, scope: cloud({ providerId, region }), isMoved };
}

/** The backups of the source, which a replica does not have. RDS refuses a backup window that overlaps the maintenance window. */
function promotionOf(
  { backupRetentionPeriod, backupWindow }: { backupRetentionPeriod: number; backupWindow: string },
  { maintenanceWindow }: DbInstanceState,
): PromotionSettings {
  const isFree =
    maintenanceWindow === undefined ||
    !windowsOverlap(backupWindowOf(backupWindow), maintenanceWindowOf(maintenanceWindow));
  return { backupRetentionDays: backupRetentionPeriod, ...(isFree && { backupWindow }) };
}
