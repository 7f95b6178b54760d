import { childForEach } from "../../engine/children.js";
import { awsWorkflow } from "../aws-workflow.js";
import { recordRegions, regionsToTry, requireOneRegion } from "./locations.js";

/** The most regions that are discovered at once: others of the account's Requests run beside them. */
const REGIONS_AT_ONCE = 4;

/** Records the regions of a provider, and by a child Request for each region its zones and offers. */
export const discoverProviderLocations = awsWorkflow({
  type: "discover_provider_locations",
  stages: {
    discover_locations: async (context) => {
      const { resourceId, db, children } = context;
      const providerId = Number(resourceId);
      await recordRegions(context, providerId);
      const tried = childForEach("discover_provider_location", "provider_location", await regionsToTry(db, providerId));
      for (let start = 0; start < tried.length; start += REGIONS_AT_ONCE)
        await children.finish(tried.slice(start, start + REGIONS_AT_ONCE));
      await requireOneRegion(db, providerId);
    },
  },
});
