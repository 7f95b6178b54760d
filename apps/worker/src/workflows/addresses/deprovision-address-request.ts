import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Releases an address. */
export const deprovisionAddressRequest = awsWorkflow({
  type: "deprovision_address_request",
  removesObjectsOf: "own record",
  stages: {
    destroy: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, location } = await db.address.findUniqueOrThrow({ where: { id } });
      await cloud({ providerId, region: location }).removeAll(kinds);
      await db.address.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  },
});
