import type { Server } from "@gantry/db";
import { APPLICATION_ROLES, type ServerRole } from "@gantry/resources";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Db = AwsStageContext["db"];

/** The security groups of a server: its environment's, and that of application servers if its role is one of theirs. */
export async function securityGroupsOf(
  db: Db,
  { environmentId, role }: Pick<Server, "environmentId" | "role">,
): Promise<string[]> {
  const firewall = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
  if (!firewall?.provisionedId) throw permanent(`The firewall of environment ${environmentId} does not exist in AWS`);
  const { provisionedId, webGroupId } = firewall;
  const isApplication = APPLICATION_ROLES.includes(role as ServerRole);
  return webGroupId && isApplication ? [provisionedId, webGroupId] : [provisionedId];
}

/** The name of the server's instance profile, or undefined if it has no IAM role. */
export async function instanceProfileOf(db: Db, { iamRoleId }: Server): Promise<string | undefined> {
  if (!iamRoleId) return undefined;
  const { name, deletedAt } = await db.iamRole.findUniqueOrThrow({ where: { id: iamRoleId } });
  if (deletedAt) throw permanent("The IAM role of this server was deleted");
  return name;
}
