import { fieldOf, tableOf } from "@gantry/db";
import { dependentsOf, modelOf } from "@gantry/resources";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

// The relations of the schema are named as the tables.
const noDependents = Object.fromEntries(
  dependentsOf("provider").map((type) => [fieldOf(tableOf(modelOf(type))), { none: { deletedAt: null } }]),
);

/** Cancels a provider and deletes its credentials, unless it has resources by now. */
export const cancelProvider = awsWorkflow({
  type: "cancel_provider",
  stages: {
    cancel: async ({ resourceId, db }) => {
      const cancelledAt = new Date();
      const { count } = await db.provider.updateMany({
        where: { id: Number(resourceId), ...noDependents },
        data: { cancelledAt, deletedAt: cancelledAt, credentials: null, nextCredentials: null, nextRoleArn: null },
      });
      if (count === 0) throw permanent("The provider has resources; remove them first");
    },
  },
});
