import { permanent } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Takes a provider out of use and forgets its credentials, unless something was made with it meanwhile. */
export const cancelProvider = awsWorkflow("cancel_provider", {
  cancel: async ({ resourceId, db }) => {
    const cancelledAt = new Date();
    const none = { none: { deletedAt: null } };
    const { count } = await db.provider.updateMany({
      where: { id: Number(resourceId), networks: none, iamRoles: none },
      data: { cancelledAt, deletedAt: cancelledAt, credentials: null },
    });
    if (count === 0) throw permanent("The provider holds networks or IAM roles again; remove them first");
  },
});
