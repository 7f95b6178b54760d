import { describeAddress, disassociateAddress } from "../../aws/ec2/address.js";
import { poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { serverOf } from "../server-of.js";
import { recordHostname } from "./record-hostname.js";

/**
 * Detaches an address from its server, which may get another public address from AWS. If another instance has the address by
 * now, that one keeps it, and the record shows where it is.
 */
export const detachAddress = awsWorkflow({
  type: "detach_address",
  stages: {
    detach: async (context) => {
      const { request, resourceId, db, cloud } = context;
      const id = Number(resourceId);
      const address = await db.address.findUniqueOrThrow({ where: { id } });
      const { provisionedId: allocationId, providerId, location, serverId } = address;
      const scope = cloud({ providerId, region: location });
      const recorded = serverId === null ? null : await db.server.findUnique({ where: { id: serverId } });
      const instanceId = recorded?.provisionedId;
      if (allocationId && instanceId) await scope.call(disassociateAddress({ allocationId, instanceId }));
      const { association } = (allocationId && (await scope.call(describeAddress(allocationId)))) || {};
      if (association && association.instanceId === instanceId)
        throw poll("AWS to detach the address", { everySeconds: 2 });
      const holder = association && (await serverOf(db, request.accountId, association.instanceId));
      const server = await db.server.findFirst({ where: { addressId: id, deletedAt: null } });
      if (server) {
        await recordHostname(context, server);
        await db.server.update({ where: { id: server.id }, data: { addressId: null } });
      }
      if (holder) await db.server.update({ where: { id: holder.id }, data: { addressId: id } });
      await db.address.update({ where: { id }, data: { serverId: holder?.id ?? null } });
    },
  },
});
