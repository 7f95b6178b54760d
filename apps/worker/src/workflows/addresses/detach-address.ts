import { describeAddress, disassociateAddress } from "../../aws/ec2/address.js";
import { findPublicHostname } from "../../aws/ec2/public-hostname.js";
import { poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Takes an address from its server, which may get another from AWS. */
export const detachAddress = awsWorkflow("detach_address", {
  detach: async ({ resourceId, db, cloud }) => {
    const id = Number(resourceId);
    const { provisionedId, providerId, location } = await db.address.findUniqueOrThrow({ where: { id } });
    const aws = cloud({ providerId, region: location });
    if (provisionedId) {
      await aws.call(disassociateAddress(provisionedId));
      const state = await aws.call((ec2) => describeAddress(ec2, provisionedId));
      if (state?.association) throw poll("AWS to detach the address", { everySeconds: 2 });
    }
    const server = await db.server.findFirst({ where: { addressId: id, deletedAt: null } });
    if (server) {
      const instanceId = server.provisionedId;
      const publicHostname = instanceId ? await aws.call(findPublicHostname(instanceId)) : null;
      await db.server.update({ where: { id: server.id }, data: { addressId: null, publicHostname } });
    }
    await db.address.update({ where: { id }, data: { serverId: null } });
  },
});
