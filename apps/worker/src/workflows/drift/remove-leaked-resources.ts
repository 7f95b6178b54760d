import { classifyAwsError } from "../../aws/aws-errors.js";
import { kinds } from "../../aws/kinds.js";
import { kindOf } from "../../engine/cloud-scope.js";
import { classifyError } from "../../engine/error-policy.js";
import { forgetAdoptedLeaks, leakedObjects } from "../../engine/leaks.js";
import { LeaseLost, permanent, ShuttingDown } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes what failed Requests on a record, or on its whole, left behind in AWS. */
export const removeLeakedResources = awsWorkflow({
  type: "remove_leaked_resources",
  stages: {
    remove: async ({ request, db, cloud }) => {
      await forgetAdoptedLeaks(db, request);
      const problems: string[] = [];
      let mayPass: { error: unknown } | undefined;
      for (const row of await leakedObjects(db, request)) {
        const { providerId, region, resourceType, resourceId } = row;
        const kind = kindOf(kinds, row);
        try {
          const scope = cloud({ providerId, region, owner: { type: resourceType, id: resourceId } });
          await scope.remove(kind, row);
        } catch (error) {
          if (error instanceof LeaseLost || error instanceof ShuttingDown) throw error;
          const outcome = classifyError(error, classifyAwsError);
          if (outcome?.kind === "permanent")
            problems.push(`${kind.label} ${row.cloudId ?? "without id"}: ${outcome.message}`);
          else mayPass ??= { error };
        }
      }
      // What stays may be what the others wait for.
      if (problems.length > 0) throw permanent(`Still left in AWS: ${problems.join("; ")}`);
      if (mayPass) throw mayPass.error;
    },
  },
});
