import { awsWorkflow } from "../aws-workflow.js";
import { describeVolumes, findInstance, recordInstance } from "../refresh-server.js";

/** Updates a server's record to what AWS shows. The record of a server that is gone from AWS stays, with that time. */
export const discoverServer = awsWorkflow({
  type: "discover_server",
  stages: {
    reconcile: async (context) => {
      const { resourceId, db } = context;
      const server = await db.server.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      const instance = await findInstance(context, server);
      if (instance) return recordInstance(context, server, instance, await describeVolumes(context, server, instance));
      if (!server.provisionedId || server.deletedAt || server.disappearedAt) return;
      await db.server.update({ where: { id: server.id }, data: { disappearedAt: new Date(), state: "terminated" } });
    },
  },
});
