import type { Child } from "../../engine/children.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Applies the records of an environment's servers to their instances, all servers in parallel. */
export const configureEnvironment = awsWorkflow({
  type: "configure_environment",
  stages: {
    update: async ({ resourceId, db, children }) => {
      const servers = await db.server.findMany({
        where: { environmentId: Number(resourceId), deletedAt: null, provisionedId: { not: null } },
        orderBy: { id: "asc" },
      });
      await children.finish(
        servers.map(
          ({ id }): Child => ({
            type: "instance_update",
            resource: { type: "server", id },
            input: { action: "apply" },
          }),
        ),
      );
    },
  },
});
