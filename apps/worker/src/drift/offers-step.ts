import { refreshOffers } from "../offers/refresh-offers.js";
import type { ScanStep } from "./scan-step.js";

const HOURS_BETWEEN_READINGS = 24;

/** Reads once a day what AWS offers in the region. An interrupted reading starts over. */
export const offersStep: ScanStep = {
  name: "offers",
  async page({ db, claimed, call }) {
    const since = new Date(Date.now() - HOURS_BETWEEN_READINGS * 3_600_000);
    const recent = await db.$queryRaw<object[]>`
      SELECT 1 FROM offer_lists WHERE id = ${claimed.id}::uuid AND tried_at >= ${since}`;
    if (recent.length === 0) await refreshOffers(db, claimed, call);
    return null;
  },
  end: async () => undefined,
};
