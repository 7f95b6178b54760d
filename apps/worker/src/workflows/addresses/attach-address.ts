import { associateAddress, describeAddress } from "../../aws/ec2/address.js";
import { findPublicHostname } from "../../aws/ec2/public-hostname.js";
import { permanent, poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Has a server answer to an address, in place of the public one it had. */
export const attachAddress = awsWorkflow("attach_address", {
  attach: async ({ resourceId, input, request, db, cloud }) => {
    const id = Number(resourceId);
    const [address, server] = await Promise.all([
      db.address.findUniqueOrThrow({ where: { id } }),
      db.server.findUniqueOrThrow({ where: { id: input.serverId } }),
    ]);
    const { provisionedId: allocationId, providerId, location: region } = address;
    const { provisionedId: instanceId } = server;
    if (server.accountId !== request.accountId) throw permanent("The server does not belong to this account");
    if (!allocationId || address.deletedAt) throw permanent("The address does not exist in AWS");
    if (!instanceId || server.deletedAt) throw permanent("The server does not exist in AWS");
    if (address.serverId !== null && address.serverId !== server.id) {
      throw permanent(`The address is attached to server ${address.serverId}`);
    }
    if (server.addressId !== null && server.addressId !== id) {
      throw permanent(`The server has address ${server.addressId} already`);
    }

    const aws = cloud({ providerId, region });
    await aws.call(associateAddress({ allocationId, instanceId }));
    const state = await aws.call((ec2) => describeAddress(ec2, allocationId));
    if (state?.association?.instanceId !== instanceId) throw poll("AWS to attach the address", { everySeconds: 2 });
    const publicHostname = await aws.call(findPublicHostname(instanceId));
    await db.server.update({ where: { id: server.id }, data: { addressId: id, publicHostname } });
    await db.address.update({ where: { id }, data: { serverId: server.id } });
  },
});
