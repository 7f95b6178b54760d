import { awsWorkflow } from "../aws-workflow.js";
import { removeFirewall } from "./remove-firewall.js";

/** Takes an environment down: its scaling group, its servers, and what these shared. It can be booted again. */
export const deprovisionEnvironment = awsWorkflow("deprovision_environment", {
  "auto-scaling-group": async ({ resourceId, db, children }) => {
    const groups = await db.autoScalingGroup.findMany({
      where: { environmentId: Number(resourceId), deletedAt: null },
    });
    await children.finish(
      groups.map(({ id }) => ({
        type: "deprovision_auto_scaling_group" as const,
        resource: { type: "auto_scaling_group" as const, id },
        input: {},
      })),
    );
  },
  servers: async ({ resourceId, db, children }) => {
    const servers = await db.server.findMany({ where: { environmentId: Number(resourceId), deletedAt: null } });
    await children.finish(
      servers.map(({ id }) => ({
        type: "deprovision_server" as const,
        resource: { type: "server" as const, id },
        input: {},
      })),
    );
  },
  firewall: ({ resourceId, db, cloud }) => removeFirewall({ db, cloud }, Number(resourceId)),
});
