import { Prisma } from "@gantry/db";
import type { TaggedKind, TaggedObject } from "../aws/tagged-objects.js";
import { ownershipQueries, taggedObjectRows } from "./ownership.js";
import { holdRegion } from "./region-claim.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

/** Records each object of one kind that has the account's tag and no owner as an orphan. Removes none. */
export function orphanStep({ kind, list }: TaggedKind): ScanStep {
  return {
    name: `tagged ${kind}`,
    async page(context, after) {
      const { accountId } = context.claimed;
      const { objects, next } = await context.call((aws) => list(aws, accountId, after ?? undefined));
      if (objects.length > 0) await recordOrphans(context, kind, objects);
      return next ?? null;
    },
    async end({ db, claimed }, since) {
      await db.$executeRaw`
        DELETE FROM drifts d USING (${holdRegion(claimed)}) held
        WHERE d.provider_id = ${claimed.providerId} AND d.region = ${claimed.region} AND d.kind = ${kind}
          AND d.finding = 'orphan' AND d.last_seen_at < ${since}::timestamptz`;
    },
  };
}

/** Records the objects without an owner. Leaves out those that a Request is working on, or worked on a moment ago. */
async function recordOrphans(
  { db, claimed, quietSeconds, leftOut }: ScanContext,
  kind: string,
  objects: TaggedObject[],
): Promise<void> {
  const { accountId, providerId, region } = claimed;
  const owners = ownershipQueries(kind, accountId, quietSeconds);
  const unowned = Object.values(owners).map((owner) => Prisma.sql`NOT EXISTS (${owner})`);
  const settled = ownershipQueries(kind, accountId, 0);
  const left = await db.$queryRaw<{ cloudId: string }[]>`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (${taggedObjectRows(objects)}),
    found AS (
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, tags)
    SELECT seen.id, ${accountId}::uuid, ${providerId}, ${region}, 'orphan', ${kind}, seen.cloud_id, seen.tags
    FROM held, seen
    WHERE ${Prisma.join(unowned, " AND ")}
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      tags = excluded.tags, last_seen_at = now())
    SELECT seen.cloud_id AS "cloudId" FROM seen
    WHERE NOT EXISTS (${settled.ledger}) AND NOT EXISTS (${settled.record})
      AND (EXISTS (${owners.ledger}) OR EXISTS (${owners.request}))`;
  for (const { cloudId } of left) leftOut.add(cloudId);
}
