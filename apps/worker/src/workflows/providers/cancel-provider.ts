import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Takes a provider out of use and forgets its credentials, unless something was made with it meanwhile. */
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
      if (count === 0) throw permanent("Something was made with the provider meanwhile; remove it first");
    },
  },
});
