import { childForEach } from "../../engine/children.js";
import { awsWorkflow } from "../aws-workflow.js";
import { environmentObjectOwners } from "./object-owners.js";
import { removeFirewall } from "./remove-firewall.js";

/** Removes an environment's scaling group, its servers, its firewall and its key pair. It can be booted again. */
export const deprovisionEnvironment = awsWorkflow({
  type: "deprovision_environment",
  removesObjectsOf: ({ db, resourceId }) => environmentObjectOwners(db, Number(resourceId)),
  stages: {
    "auto-scaling-group": async ({ resourceId, db, children }) => {
      const groups = await db.autoScalingGroup.findMany({
        where: { environmentId: Number(resourceId), deletedAt: null },
      });
      await children.finish(childForEach("deprovision_auto_scaling_group", "auto_scaling_group", groups));
    },
    servers: async ({ resourceId, db, children }) => {
      const servers = await db.server.findMany({ where: { environmentId: Number(resourceId), deletedAt: null } });
      await children.finish(childForEach("deprovision_server", "server", servers));
    },
    firewall: ({ resourceId, db, cloud }) => removeFirewall({ db, cloud }, Number(resourceId)),
  },
});
