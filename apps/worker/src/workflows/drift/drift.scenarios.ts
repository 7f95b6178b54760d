import type { Scenarios } from "@gantry/test/support/scenario";
import { openRemoval, strayVolume } from "@gantry/test/support/stray";

export const driftScenarios = {
  remove_orphan: {
    open: async ({ db, customer }) => {
      const cloudId = await strayVolume(customer);
      return openRemoval(db, customer, { kind: "volume", cloudId });
    },
    afterSuccess: {},
  },
} satisfies Scenarios;
