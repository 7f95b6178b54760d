import { dbSubnetGroup, instancesIn } from "../../aws/rds/db-subnet-group.js";
import type { AwsStageContext } from "../aws-workflow.js";

/**
 * Leaves the subnet group of a database that is removed to another database whose master uses it: a replica keeps its source's
 * group when it is promoted, since RDS gives an instance another group only with another VPC. RDS shows who uses the group. It is
 * asked only if such a database may exist: one that has no group of its own.
 */
export async function leaveSubnetGroup({
  db,
  cloud,
  resourceId,
}: Pick<AwsStageContext, "db" | "cloud" | "resourceId">): Promise<void> {
  const { accountId, providerId, region } = await db.databaseService.findUniqueOrThrow({ where: { id: resourceId } });
  const ofGroups = { resourceType: "database_service", kind: dbSubnetGroup.kind, removedAt: null };
  const groups = await db.cloudObject.findMany({
    where: { accountId, providerId, region, ...ofGroups },
    select: { id: true, resourceId: true, cloudId: true },
  });
  const own = groups.find((group) => group.resourceId === resourceId);
  if (!own?.cloudId) return;
  const masters = await db.databaseServer.findMany({
    where: {
      ...{ accountId, providerId, region, replicationSourceId: null, deletedAt: null },
      databaseServiceId: { notIn: groups.map((group) => group.resourceId) },
      provisionedId: { not: null },
    },
    select: { provisionedId: true, databaseServiceId: true },
  });
  if (masters.length === 0) return;
  const users = await cloud({ providerId, region }).call(instancesIn(own.cloudId));
  const ids = users.flatMap((user) => user.ids);
  const heir = masters.find(({ provisionedId }) => provisionedId !== null && ids.includes(provisionedId));
  if (heir) await db.cloudObject.update({ where: { id: own.id }, data: { resourceId: heir.databaseServiceId } });
}
