import { describeAddress, disassociateAddress } from "../../aws/ec2/address.js";
import { poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";
import { noteHostname } from "./note-hostname.js";

/** Takes an address from its server, which may get another from AWS. */
export const detachAddress = awsWorkflow("detach_address", {
  detach: async (context) => {
    const { resourceId, db, cloud } = context;
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
      await noteHostname(context, server);
      await db.server.update({ where: { id: server.id }, data: { addressId: null } });
    }
    await db.address.update({ where: { id }, data: { serverId: null } });
  },
});
