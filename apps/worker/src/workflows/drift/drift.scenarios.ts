import { deepEqual } from "node:assert/strict";
import { createOrphanVolume, openRemoval } from "@gantry/test/support/orphans";
import type { Scenarios } from "@gantry/test/support/scenario";
import { describeVolume } from "../../aws/ec2/volume.js";

export const driftScenarios = {
  remove_orphan: {
    open: async ({ db, customer }) => {
      const cloudId = await createOrphanVolume(customer);
      return openRemoval(db, customer, { kind: "volume", cloudId });
    },
    afterSuccess: {},
    verify: async ({ db, aws }, { resourceId, input }) => {
      const finding = await db.drift.findUnique({ where: { id: resourceId } });
      deepEqual([finding, await describeVolume(input.cloudId)(aws)], [null, undefined]);
    },
  },
} satisfies Scenarios;
