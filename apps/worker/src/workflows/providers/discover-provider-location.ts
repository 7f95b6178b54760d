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
      const where = { id: context.resourceId };
      await recordZonesAndOffers(context, await context.db.providerLocation.findUniqueOrThrow({ where }));
    },
  },
});
