import { callerAccount } from "../../aws/checks/caller.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";
import { beginDiscovery } from "./locations.js";
import { requireExternalId } from "./require-external-id.js";

/**
 * Verifies the credentials of an AWS account, records its regions and zones with the offers of its home region, and
 * creates the Request that discovers the other regions' offers.
 */
export const provisionProvider = awsWorkflow({
  type: "provision_provider",
  stages: {
    "verify-credentials": async ({ resourceId, db, cloud }) => {
      const providerId = Number(resourceId);
      const region = await homeRegionOf(db, providerId);
      const { roleArn, externalId } = await db.provider.findUniqueOrThrow({ where: { id: providerId } });
      const aws = cloud({ providerId, region });
      // Before Gantry uses the role.
      if (roleArn) await requireExternalId(aws, roleArn, externalId);
      const provisionedId = await aws.call(callerAccount);
      await db.provider.update({ where: { id: providerId }, data: { provisionedId } });
    },
    "discover-locations": beginDiscovery,
  },
  discard: async ({ resourceId, db }) => {
    await db.provider.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
});
