import { membersLeft } from "../../aws/auto-scaling/launches.js";
import type { Aws } from "../../aws/clients.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { poll } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/**
 * Returns once a group has as many members in service as it aims at.
 *
 * @throws NotYet until then; the error of a launch that failed since the Request began
 */
export async function awaitMembers(
  { db, request }: Pick<AwsStageContext, "db" | "request">,
  scope: CloudScope<Aws>,
  name: string,
): Promise<void> {
  const { startedAt, createdAt } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
  const leaving = await scope.call(membersLeft(name, startedAt ?? createdAt));
  if (leaving > 0) throw poll(`${leaving} of the group's instances to come into service or terminate`);
}
