import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { attachServerAddress } from "../servers/server-address.js";
import { recordHostname } from "./record-hostname.js";

/** Attaches an address to a server, in place of the server's own public address. */
export const attachAddress = awsWorkflow({
  type: "attach_address",
  stages: {
    attach: async (context) => {
      const { resourceId, input, request, db } = context;
      const addressId = Number(resourceId);
      const server = await db.server.findUniqueOrThrow({ where: { id: input.serverId } });
      if (server.accountId !== request.accountId) throw permanent("The server does not belong to this account");
      if (server.deletedAt) throw permanent("The server was deleted");
      if (server.addressId !== null && server.addressId !== addressId) {
        throw permanent(`The server already has address ${server.addressId}`);
      }
      await attachServerAddress(context, server, addressId);
      await recordHostname(context, server);
    },
  },
});
