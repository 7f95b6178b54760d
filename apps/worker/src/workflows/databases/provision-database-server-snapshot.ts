import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireAvailableInstance } from "./database-state.js";
import { takeSnapshot } from "./snapshot.js";

/** Takes a snapshot of a database server, or of the whole cluster of an Aurora server. */
export const provisionDatabaseServerSnapshot = awsWorkflow({
  type: "provision_database_server_snapshot",
  stages: {
    create: async ({ resourceId: snapshotId, db, cloud }) => {
      const { providerId, region, provisionedId, databaseServer } = await db.databaseServerSnapshot.findUniqueOrThrow({
        where: { id: snapshotId },
        include: { databaseServer: { include: { databaseService: true } } },
      });
      const { provisionedId: instanceId, databaseService } = databaseServer;
      if (!instanceId || databaseServer.deletedAt) throw permanent("The database server does not exist in AWS");
      const scope = cloud({ providerId, region, environmentId: databaseService.environmentId });
      if (!provisionedId) await requireAvailableInstance(scope, instanceId);
      await takeSnapshot(db, scope, { snapshotId, instanceId, clusterId: databaseService.clusterId, isFinal: false });
    },
  },
  discard: async ({ resourceId, db }) => {
    const data = { deletedAt: new Date(), provisionedId: null, state: "error" };
    await db.databaseServerSnapshot.update({ where: { id: resourceId }, data });
  },
});
