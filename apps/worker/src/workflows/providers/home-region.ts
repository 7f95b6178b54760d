import type { AwsStageContext } from "../aws-workflow.js";

/** The region for calls that concern a provider's AWS account as a whole. */
export async function homeRegionOf(db: AwsStageContext["db"], providerId: number): Promise<string> {
  const { homeRegion } = await db.provider.findUniqueOrThrow({ where: { id: providerId } });
  return homeRegion ?? "us-east-1";
}
