import { address, describeAddress } from "../../aws/ec2/address.js";
import { poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Takes a public address. */
export const addressProvision = awsWorkflow(
  "address_provision",
  {
    create: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, location } = await db.address.findUniqueOrThrow({ where: { id } });
      const aws = cloud({ providerId, region: location });
      const provisionedId = await aws.ensure(address, {});
      const state = await aws.call((ec2) => describeAddress(ec2, provisionedId));
      if (!state) throw poll("AWS to show the address", { everySeconds: 2 });
      await db.address.update({ where: { id }, data: { provisionedId, ipAddress: state.ipAddress } });
    },
  },
  async ({ resourceId, db }) => {
    await db.address.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
);
