import { describeAddress, disassociateAddress } from "../../aws/ec2/address.js";
import { poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { recordHostname } from "./record-hostname.js";

/** Detaches an address from its server, which may get another public address from AWS. */
export const detachAddress = awsWorkflow({
  type: "detach_address",
  stages: {
    detach: async (context) => {
      const { resourceId, db, cloud } = context;
      const id = Number(resourceId);
      const { provisionedId, providerId, location } = await db.address.findUniqueOrThrow({ where: { id } });
      const scope = cloud({ providerId, region: location });
      if (provisionedId) {
        await scope.call(disassociateAddress(provisionedId));
        const state = await scope.call(describeAddress(provisionedId));
        if (state?.association) throw poll("AWS to detach the address", { everySeconds: 2 });
      }
      const server = await db.server.findFirst({ where: { addressId: id, deletedAt: null } });
      if (server) {
        await recordHostname(context, server);
        await db.server.update({ where: { id: server.id }, data: { addressId: null } });
      }
      await db.address.update({ where: { id }, data: { serverId: null } });
    },
  },
});
