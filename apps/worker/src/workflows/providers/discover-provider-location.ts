import { awsWorkflow } from "../aws-workflow.js";
import { recordZonesAndOffers } from "./locations.js";

/**
 * Records the zones of a region and what AWS offers there; records a region that AWS denies to the provider as disabled, with
 * the reason.
 */
export const discoverProviderLocation = awsWorkflow({
  type: "discover_provider_location",
  stages: {
    persist: async (context) => {
      const { db, request, resourceId } = context;
      const region = await db.providerLocation.findUniqueOrThrow({ where: { id: resourceId } });
      const { createdAt } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
      await recordZonesAndOffers(context, region, createdAt);
    },
  },
});
