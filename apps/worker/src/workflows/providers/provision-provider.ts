import { callerAccount } from "../../aws/sts/caller.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";

/** Verifies the credentials of an AWS account, and discovers its regions and zones. */
export const provisionProvider = awsWorkflow({
  type: "provision_provider",
  stages: {
    "verify-credentials": async ({ resourceId, db, cloud }) => {
      const providerId = Number(resourceId);
      const region = await homeRegionOf(db, providerId);
      const provisionedId = await cloud({ providerId, region }).call(callerAccount);
      await db.provider.update({ where: { id: providerId }, data: { provisionedId } });
    },
    "discover-locations": async ({ resourceId, children }) => {
      const resource = { type: "provider", id: resourceId } as const;
      await children.finish([{ type: "discover_provider_locations", resource, input: {} }]);
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.provider.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
});
