import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { updateReplicaCount } from "./database.js";
import { requireDeletedInstance } from "./database-state.js";

/** Removes a replica and finishes the alerts on it. */
export const deprovisionDatabaseServer = awsWorkflow({
  type: "deprovision_database_server",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const server = await db.databaseServer.findUniqueOrThrow({ where: { id: resourceId } });
      const { providerId, region, provisionedId, databaseServiceId } = server;
      const scope = cloud({ providerId, region });
      await scope.removeAll(kinds);
      if (provisionedId) await requireDeletedInstance(scope, provisionedId);
      const now = new Date();
      await db.alert.updateMany({
        where: { databaseServerId: server.id, finishedAt: null },
        data: { finishedAt: now },
      });
      await db.databaseServer.update({ where: { id: server.id }, data: { deletedAt: now } });
      await updateReplicaCount(db, databaseServiceId);
    },
  },
});
