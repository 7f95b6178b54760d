import { address, describeAddress } from "../../aws/ec2/address.js";
import { notShown } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Allocates a public address. */
export const addressProvision = awsWorkflow({
  type: "address_provision",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, location } = await db.address.findUniqueOrThrow({ where: { id } });
      const scope = cloud({ providerId, region: location });
      const provisionedId = await scope.ensure(address, {});
      const state = await scope.call(describeAddress(provisionedId));
      if (!state) throw notShown(provisionedId);
      await db.address.update({ where: { id }, data: { provisionedId, ipAddress: state.ipAddress } });
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.address.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
});
