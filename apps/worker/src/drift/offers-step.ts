import { haveOffersSince, offersAgeLimit, refreshOffers } from "../offers/refresh-offers.js";
import type { ScanStep } from "./scan-step.js";

/** Reads once a day what AWS offers in the region. An interrupted reading starts over. */
export const offersStep: ScanStep = {
  name: "offers",
  async page({ db, claimed, call }) {
    const { id, accountId, region: locationId } = claimed;
    const since = offersAgeLimit();
    if (!(await haveOffersSince(db, id, since))) await refreshOffers(db, { id, accountId, locationId }, since, call);
    return null;
  },
  end: async () => undefined,
};
