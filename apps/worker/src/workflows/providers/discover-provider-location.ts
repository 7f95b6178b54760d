import { v5 as uuidv5 } from "uuid";
import { describeZones } from "../../aws/ec2/locations.js";
import { refreshOffers } from "../../offers/refresh-offers.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Records the zones of a region and what AWS offers there. */
export const discoverProviderLocation = awsWorkflow({
  type: "discover_provider_location",
  stages: {
    persist: async ({ resourceId, db, cloud }) => {
      const region = await db.providerLocation.findUniqueOrThrow({ where: { id: resourceId } });
      const { accountId, providerId, vpcByDefault } = region;
      const scope = cloud({ providerId, region: region.locationId });
      const zones = await scope.call(describeZones);
      await db.providerLocation.createMany({
        data: zones.map((zone) => ({
          id: uuidv5(zone, region.id),
          accountId,
          providerId,
          parentId: region.id,
          locationId: zone,
          locationName: zone,
          vpcByDefault,
        })),
        skipDuplicates: true,
      });
      await refreshOffers(db, region, (act) => scope.call(act));
    },
  },
});
