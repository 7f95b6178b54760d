import { REGION_NAMES } from "@gantry/requests";
import { v5 as uuidv5 } from "uuid";
import { awsRegionName, describeRegions } from "../../aws/ec2/locations.js";
import { childForEach } from "../../engine/children.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";

const PROVIDER_LOCATIONS = "a1d0b3f6-6d53-4c5a-9d3b-0a3f3c9f7e51";

/**
 * Records the regions of a provider, and by a child Request for each region its zones. Fails where AWS denies every region;
 * an organization may deny some of them.
 */
export const discoverProviderLocations = awsWorkflow({
  type: "discover_provider_locations",
  stages: {
    discover_locations: async ({ request, resourceId, db, cloud, children }) => {
      const providerId = Number(resourceId);
      const region = await homeRegionOf(db, providerId);
      const regions = await cloud({ providerId, region }).call(describeRegions);
      const rows = regions.map((locationId) => ({
        id: uuidv5(`${providerId}/${locationId}`, PROVIDER_LOCATIONS),
        accountId: request.accountId,
        providerId,
        locationId,
        locationName: REGION_NAMES.get(locationId) ?? awsRegionName(locationId),
        serverLimit: 20,
        addressLimit: 5,
      }));
      await db.providerLocation.createMany({ data: rows, skipDuplicates: true });
      // A region that AWS denied is tried again; one that the operator disabled has no reason on record.
      const isTried = { OR: [{ disabledAt: null }, { disabledReason: { not: null } }] };
      const where = { providerId, parentId: null, ...isTried };
      const tried = await db.providerLocation.findMany({ where, orderBy: { locationId: "asc" } });
      await children.finish(childForEach("discover_provider_location", "provider_location", tried));
      const found = await db.providerLocation.findMany({ where, orderBy: { locationId: "asc" } });
      const [denied] = found;
      if (denied && found.every(({ disabledAt }) => disabledAt)) {
        throw permanent(`AWS denies every region to the provider. ${denied.locationId}: ${denied.disabledReason}`);
      }
    },
  },
});
