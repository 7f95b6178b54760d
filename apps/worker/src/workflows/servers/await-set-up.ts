import { describeInstance, isTerminated } from "../../aws/ec2/describe-instance.js";
import { describeStatusChecks, type StatusChecks } from "../../aws/ec2/status-checks.js";
import { notYet, permanent, poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** The longest time from the start of an instance to the report that it is set up, if it has reported before. */
const FIRST_BOOT_MINUTES = 45;
/**
 * The time after which a running instance without any report counts as failed. Its first report comes before its disks.
 */
const SILENT_MINUTES = 15;
/** The time after which failing status checks end the wait; they may fail for a moment while the instance starts. */
const IMPAIRED_MINUTES = 10;
/** The time for EC2's status checks to begin with `ok`. */
const STATUS_CHECKS_MINUTES = 30;

type Context = Pick<AwsStageContext, "request" | "resourceId" | "db" | "cloud" | "callback" | "minutesInStage">;

/** Waits until the server reports that it is set up, or, if servers send no reports, until EC2's status checks pass. */
export async function awaitSetUp(context: Context): Promise<void> {
  const { request, db } = context;
  const { report } = await db.request.findUniqueOrThrow({ where: { id: request.id }, select: { report: true } });
  const { status, message } = (report ?? {}) as { status?: string; message?: string | null };
  if (status === "failed") throw permanent(`The server could not be set up: ${message || "it reported no reason"}`);
  if (status === "finished") return;
  const callback = context.callback();
  const minutes = context.minutesInStage();
  if (!callback) {
    if ((await statusChecks(context, minutes)) === "ok") return;
    throw poll("the instance to pass EC2's status checks", { limitMinutes: STATUS_CHECKS_MINUTES });
  }
  // Most servers report within the first minute, at no call to AWS.
  const checks = minutes < 1 ? undefined : await statusChecks(context, minutes);
  if (status === undefined && checks === "ok" && minutes >= SILENT_MINUTES) {
    throw permanent(
      `The instance runs and passes EC2's status checks, but has not reported for ${SILENT_MINUTES} minutes: it cannot ` +
        `reach BASE_URL (${new URL(callback.url).origin}), or its image does not run Gantry's first boot`,
    );
  }
  throw notYet("the server to report that it is set up", { retryInSeconds: 60, limitMinutes: FIRST_BOOT_MINUTES });
}

/** @throws PermanentFailure if the instance ended or was stopped, or its checks still fail after `IMPAIRED_MINUTES` */
async function statusChecks({ resourceId, db, cloud }: Context, minutes: number): Promise<StatusChecks | undefined> {
  const server = await db.server.findUniqueOrThrow({ where: { id: Number(resourceId) } });
  const { provisionedId, providerId, region } = server;
  if (!provisionedId) throw permanent("The server does not exist in AWS");
  const scope = cloud({ providerId, region });
  const found = await scope.call(describeInstance(provisionedId));
  if (found && (isTerminated(found) || found.state === "stopped")) {
    throw permanent(
      `The instance was ${found.state} before it was set up (${found.reason || "AWS did not give a reason"})`,
    );
  }
  if (!found) return undefined;
  const checks = await scope.call(describeStatusChecks(provisionedId));
  if (checks === "impaired" && minutes >= IMPAIRED_MINUTES) {
    throw permanent(`The instance fails EC2's status checks ${IMPAIRED_MINUTES} minutes after its start`);
  }
  return checks;
}
