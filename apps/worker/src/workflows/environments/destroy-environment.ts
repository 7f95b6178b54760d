import { childForEach } from "../../engine/children.js";
import { awsWorkflow, ownersOf } from "../aws-workflow.js";
import { environmentObjectOwners } from "./object-owners.js";

/** Removes an environment with all of its resources, its snapshots too. */
export const destroyEnvironment = awsWorkflow({
  type: "destroy_environment",
  removesObjectsOf: async ({ db, resourceId }) => {
    const environmentId = Number(resourceId);
    const snapshots = await db.snapshot.findMany({ where: { environmentId, deletedAt: null } });
    return [...(await environmentObjectOwners(db, environmentId)), ...ownersOf("snapshot", snapshots)];
  },
  stages: {
    deprovision: async ({ resourceId, children }) => {
      const resource = { type: "environment", id: resourceId } as const;
      await children.finish([{ type: "deprovision_environment", resource, input: {} }]);
    },
    snapshots: async ({ resourceId, db, children }) => {
      const snapshots = await db.snapshot.findMany({ where: { environmentId: Number(resourceId), deletedAt: null } });
      await children.finish(childForEach("deprovision_snapshot_request", "snapshot", snapshots));
    },
    destroy: async ({ resourceId, db }) => {
      const deletedAt = new Date();
      const environmentId = Number(resourceId);
      await db.firewallRule.updateMany({
        where: { firewall: { environmentId }, deletedAt: null },
        data: { deletedAt },
      });
      await db.firewall.updateMany({ where: { environmentId, deletedAt: null }, data: { deletedAt } });
      await db.environment.update({ where: { id: environmentId }, data: { deletedAt } });
    },
  },
});
