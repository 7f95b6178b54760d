import { callerAccount } from "../../aws/checks/caller.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";
import { beginDiscovery } from "./locations.js";

/** Records the AWS account of Gantry's own workers as a provider's, and its regions and zones as `provisionProvider` does. */
export const provisionSharedProvider = awsWorkflow({
  type: "provision_shared_provider",
  stages: {
    "verify-credentials": async ({ resourceId, db, cloud }) => {
      const providerId = Number(resourceId);
      const { shared } = await db.provider.findUniqueOrThrow({ where: { id: providerId } });
      if (!shared) throw permanent("The provider is not shared");
      const region = await homeRegionOf(db, providerId);
      const provisionedId = await cloud({ providerId, region }).call(callerAccount);
      await db.provider.update({ where: { id: providerId }, data: { provisionedId } });
    },
    "discover-locations": beginDiscovery,
  },
  discard: async ({ resourceId, db }) => {
    await db.provider.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
});
