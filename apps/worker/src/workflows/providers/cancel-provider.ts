import { awsWorkflow } from "../aws-workflow.js";

/** Takes a provider out of use and forgets its credentials. Nothing of it is left in AWS when this is accepted. */
export const cancelProvider = awsWorkflow("cancel_provider", {
  cancel: async ({ resourceId, db }) => {
    const cancelledAt = new Date();
    await db.provider.update({
      where: { id: Number(resourceId) },
      data: { cancelledAt, deletedAt: cancelledAt, credentials: null },
    });
  },
});
