import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Cancels a provider and deletes its credentials, unless it has resources by now. */
export const cancelProvider = awsWorkflow({
  type: "cancel_provider",
  stages: {
    cancel: async ({ resourceId, db }) => {
      const cancelledAt = new Date();
      const none = { none: { deletedAt: null } };
      const { count } = await db.provider.updateMany({
        where: {
          id: Number(resourceId),
          networks: none,
          iamRoles: none,
          environments: none,
          servers: none,
          volumes: none,
          addresses: none,
          snapshots: none,
          databaseServices: none,
          databaseServerSnapshots: none,
        },
        data: { cancelledAt, deletedAt: cancelledAt, credentials: null },
      });
      if (count === 0) throw permanent("The provider has resources by now; remove them first");
    },
  },
});
