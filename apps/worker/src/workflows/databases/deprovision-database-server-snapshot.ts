import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a snapshot of a database server. */
export const deprovisionDatabaseServerSnapshot = awsWorkflow({
  type: "deprovision_database_server_snapshot",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const { providerId, region } = await db.databaseServerSnapshot.findUniqueOrThrow({ where: { id: resourceId } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.databaseServerSnapshot.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
    },
  },
});
