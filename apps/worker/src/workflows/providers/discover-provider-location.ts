import { v5 as uuidv5 } from "uuid";
import { describeZones } from "../../aws/ec2/locations.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Records the zones of a region. */
export const discoverProviderLocation = awsWorkflow({
  type: "discover_provider_location",
  stages: {
    persist: async ({ resourceId, db, cloud }) => {
      const region = await db.providerLocation.findUniqueOrThrow({ where: { id: resourceId } });
      const { accountId, providerId, vpcByDefault } = region;
      const zones = await cloud({ providerId, region: region.locationId }).call(describeZones);
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
    },
  },
});
