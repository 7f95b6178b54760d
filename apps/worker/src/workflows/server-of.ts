import type { Server } from "@gantry/db";
import type { AwsStageContext } from "./aws-workflow.js";

/** The account's server that is an instance, or null if the instance belongs to no record. */
export function serverOf(db: AwsStageContext["db"], accountId: string, instanceId: string): Promise<Server | null> {
  return db.server.findFirst({ where: { accountId, provisionedId: instanceId, deletedAt: null } });
}
