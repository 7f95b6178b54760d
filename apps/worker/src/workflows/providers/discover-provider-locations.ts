import { REGION_NAMES } from "@gantry/requests";
import { v5 as uuidv5 } from "uuid";
import { describeRegions } from "../../aws/ec2/locations.js";
import { HOME_REGION } from "../../aws/home-region.js";
import { childForEach } from "../../engine/children.js";
import { awsWorkflow } from "../aws-workflow.js";

const PROVIDER_LOCATIONS = "a1d0b3f6-6d53-4c5a-9d3b-0a3f3c9f7e51";

/** Records the regions of a provider, and by a child Request for each region its zones. */
export const discoverProviderLocations = awsWorkflow({
  type: "discover_provider_locations",
  stages: {
    discover_locations: async ({ request, resourceId, db, cloud, children }) => {
      const providerId = Number(resourceId);
      const regions = await cloud({ providerId, region: HOME_REGION }).call(describeRegions);
      const rows = regions.map((locationId) => ({
        id: uuidv5(`${providerId}/${locationId}`, PROVIDER_LOCATIONS),
        accountId: request.accountId,
        providerId,
        locationId,
        locationName: REGION_NAMES.get(locationId) ?? locationId,
        serverLimit: 20,
        addressLimit: 5,
      }));
      await db.providerLocation.createMany({ data: rows, skipDuplicates: true });
      const known = await db.providerLocation.findMany({ where: { providerId, parentId: null, disabledAt: null } });
      await children.finish(childForEach("discover_provider_location", "provider_location", known));
    },
  },
});
