import { haveOffersSince, offersAgeLimit } from "../../offers/refresh-offers.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireIdle } from "./idle.js";
import { recordRegions, recordZonesAndOffers, regionsToTry, requireOneRegion } from "./locations.js";

/** The most regions that are discovered at once for a user who asked for it. */
const REGIONS_AT_ONCE = 4;

/**
 * Records the regions of a provider, their zones and what AWS offers there. If a user asks for it, all offers are newer than
 * the Request. For a new provider, it reads only what nobody has read for a day, one region after the other, while there is
 * nothing else to do.
 */
export const discoverProviderLocations = awsWorkflow({
  type: "discover_provider_locations",
  stages: {
    discover_locations: async (context) => {
      const { db, request, resourceId, recordProgress } = context;
      const providerId = Number(resourceId);
      const { createdAt, parentId } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
      const since = parentId === null ? createdAt : offersAgeLimit();
      await recordRegions(context, providerId);
      const unread = [];
      for (const region of await regionsToTry(db, providerId)) {
        const wasDenied = region.disabledAt && region.disabledAt >= createdAt;
        if (!wasDenied && !(await haveOffersSince(db, region.id, since))) unread.push(region);
      }
      const atOnce = parentId === null ? REGIONS_AT_ONCE : 1;
      for (let start = 0; start < unread.length; start += atOnce) {
        if (parentId !== null) await requireIdle(db, request.id);
        const regions = unread.slice(start, start + atOnce);
        await Promise.all(regions.map((region) => recordZonesAndOffers(context, region, since)));
        recordProgress();
      }
      await requireOneRegion(db, providerId);
    },
  },
});
