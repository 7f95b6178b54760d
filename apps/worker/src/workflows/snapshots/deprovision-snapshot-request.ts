import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a snapshot. */
export const deprovisionSnapshotRequest = awsWorkflow({
  type: "deprovision_snapshot_request",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, region } = await db.snapshot.findUniqueOrThrow({ where: { id } });
      await cloud({ providerId, region }).removeAll(kinds);
      await db.snapshot.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  },
});
