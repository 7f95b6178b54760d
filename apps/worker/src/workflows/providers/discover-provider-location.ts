import { refreshOffers } from "../../offers/refresh-offers.js";
import { awsWorkflow } from "../aws-workflow.js";
import { recordZones } from "./locations.js";

/**
 * Records the zones of a region and what AWS offers there; records a region that AWS denies to the provider as disabled, with
 * the reason.
 */
export const discoverProviderLocation = awsWorkflow({
  type: "discover_provider_location",
  stages: {
    persist: async (context) => {
      const { resourceId, db, cloud } = context;
      const region = await db.providerLocation.findUniqueOrThrow({ where: { id: resourceId } });
      const scope = cloud({ providerId: region.providerId, region: region.locationId });
      if (await recordZones(context, region)) await refreshOffers(db, region, (act) => scope.call(act));
    },
  },
});
