import { createOrphanVolume, openRemoval } from "@gantry/test/support/orphans";
import type { Scenarios } from "@gantry/test/support/scenario";

export const driftScenarios = {
  remove_orphan: {
    open: async ({ db, customer }) => {
      const cloudId = await createOrphanVolume(customer);
      return openRemoval(db, customer, { kind: "volume", cloudId });
    },
    afterSuccess: {},
  },
} satisfies Scenarios;
