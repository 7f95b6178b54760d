import type { Server } from "@gantry/db";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Db = AwsStageContext["db"];

/** The security group of the environment's servers. */
export async function securityGroupOf(db: Db, { environmentId }: Server): Promise<string> {
  const firewall = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
  if (!firewall?.provisionedId) throw permanent(`The firewall of environment ${environmentId} does not exist in AWS`);
  return firewall.provisionedId;
}

/** The name of the server's instance profile, or undefined where it has no IAM role. */
export async function instanceProfileOf(db: Db, { iamRoleId }: Server): Promise<string | undefined> {
  if (!iamRoleId) return undefined;
  const { name, deletedAt } = await db.iamRole.findUniqueOrThrow({ where: { id: iamRoleId } });
  if (deletedAt) throw permanent("The IAM role of this server was deleted");
  return name;
}
