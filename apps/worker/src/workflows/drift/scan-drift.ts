import { classifyAwsError } from "../../aws/aws-errors.js";
import { recordRegions, renewClaim, takeOverRegion } from "../../drift/region-claim.js";
import { scanRegion } from "../../drift/scan-region.js";
import type { ScanStep } from "../../drift/scan-step.js";
import { scanSteps } from "../../drift/scan-steps.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

/** The time until the scan that repeats by itself looks at the region again, if its period has ended. */
const PERIOD_SECONDS = 900;
/**
 * The time after which a region becomes free if its worker was lost. It does not follow `AWS_CALL_SECONDS`: if a call
 * takes longer, another scan may take the region over, and the fence lets this one write nothing more; it waits and
 * continues.
 */
const LEASE_SECONDS = 60;

const limits = { periodSeconds: PERIOD_SECONDS, calls: Number.POSITIVE_INFINITY };

/** Compares the regions of an account's providers with the records now, whenever their next scan would come. */
export const scanDrift = awsWorkflow({
  type: "scan_drift",
  stages: {
    scan: async ({ request, input, db, cloud, recordProgress }) => {
      // A page that was compared is not read again: the scan resumes after it.
      const steps = scanSteps.map((step): ScanStep => {
        const page: ScanStep["page"] = async (...args) => {
          const next = await step.page(...args);
          recordProgress();
          return next;
        };
        return { ...step, page };
      });
      await recordRegions(db, limits);
      const { createdAt } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
      const places = await db.driftRegion.findMany({
        where: {
          accountId: request.accountId,
          OR: [{ lastScannedAt: null }, { lastScannedAt: { lt: createdAt } }],
          location: { disabledAt: null, provider: { cancelledAt: null, deletedAt: null } },
        },
        orderBy: [{ providerId: "asc" }, { region: "asc" }],
      });
      const problems: string[] = [];
      for (const { id, region } of places) {
        const claimed = await takeOverRegion(db, id, PERIOD_SECONDS, LEASE_SECONDS);
        const scope = cloud(claimed);
        const problem = await scanRegion(
          {
            db,
            claimed,
            quietSeconds: input.quietSeconds,
            call: async (act) => {
              await renewClaim(db, claimed, LEASE_SECONDS);
              return scope.call(act);
            },
          },
          steps,
          {
            limits,
            classify: classifyAwsError,
            // What may pass is tried again, as for any Request.
            onFailure: (error, { kind }) => {
              if (kind !== "permanent") throw error;
            },
          },
        );
        if (problem) problems.push(`${region}: ${problem}`);
      }
      if (problems.length > 0) throw permanent(`Some objects could not be compared: ${problems.join("; ")}`);
    },
  },
});
