import type { Aws } from "../../aws/clients.js";
import type { Holder } from "../../aws/ec2/vpc-contents.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

const MAX_NAMED = 20;

interface Container {
  type: "network" | "subnet";
  /** Its id in AWS; null if it never got one. */
  provisionedId: string | null;
  contents: (id: string) => (aws: Aws) => Promise<Holder[]>;
}

/**
 * Requires that AWS accepts the removal of a network's or a subnet's object once the record's other objects are gone: only
 * they are in it. What Gantry removed before does not count, because AWS may show it for a while.
 *
 * @throws PermanentFailure that names what is in it
 */
export async function requireEmpty(
  { db, request, resourceId }: Pick<AwsStageContext, "db" | "request" | "resourceId">,
  scope: CloudScope<Aws>,
  { type, provisionedId, contents }: Container,
): Promise<void> {
  if (!provisionedId) return;
  const found = await scope.call(contents(provisionedId));
  const own = await db.cloudObject.findMany({ where: { resourceType: type, resourceId, removedAt: null } });
  const ownIds = new Set(own.map(({ cloudId }) => cloudId));
  const foreign = found.filter(({ id }) => !ownIds.has(id));
  if (foreign.length === 0) return;
  const ids = foreign.flatMap(({ id, subnetId }) => (subnetId ? [id, subnetId] : [id]));
  const removed = await db.cloudObject.findMany({
    where: { accountId: request.accountId, cloudId: { in: ids }, removedAt: { not: null } },
  });
  const removedIds = new Set(removed.map(({ cloudId }) => cloudId));
  const left = foreign.filter(({ id, subnetId = "" }) => !removedIds.has(id) && !removedIds.has(subnetId));
  if (left.length === 0) return;
  const names = left.slice(0, MAX_NAMED).map(({ label, id }) => `${label} ${id}`);
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  throw permanent(
    `The ${type} ${provisionedId} still contains ${names.join(", ")}${more}; remove these objects in AWS, then retry`,
  );
}
