import type { AwsStageContext } from "../aws-workflow.js";

/** Clears the group from the records of its environment and its app master. */
export async function unlinkGroup(db: AwsStageContext["db"], autoScalingGroupId: string): Promise<void> {
  const data = { autoScalingGroupId: null };
  await db.server.updateMany({ where: { autoScalingGroupId }, data });
  await db.environment.updateMany({ where: { autoScalingGroupId }, data });
}
