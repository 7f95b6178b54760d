import { Prisma } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { kinds } from "../../aws/kinds.js";
import { ACCOUNT_TAG, type TaggedObject, taggedKinds } from "../../aws/tagged-objects.js";
import { ownershipQueries, taggedObjectRows } from "../../drift/ownership.js";
import type { Obstacle } from "../../engine/cloud-kind.js";
import { refuse } from "../../engine/obstacles.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";

/** Removes an object that has the account's tag and no owner. */
export const removeOrphan = awsWorkflow({
  type: "remove_orphan",
  // The ledger does not list an orphan: the stage asks.
  removesObjectsOf: () => Promise.resolve([]),
  stages: {
    destroy: async ({ resourceId, request, input, db, cloud }) => {
      const { cloudId, providerId, region } = input;
      const tagged = taggedKinds.find(({ kind }) => kind === input.kind);
      const kind = kinds.get(input.kind);
      if (!tagged || !kind) throw permanent(`This version of Gantry cannot remove orphans of the kind ${input.kind}`);
      const scope = cloud({ providerId, region });
      const find = () => scope.call((aws) => tagged.find(aws, cloudId));
      const object = await find();
      if (object) {
        const reason = await reasonToKeep(db, request.accountId, object, input);
        if (reason) throw permanent(`The ${kind.label} ${cloudId} was not removed: ${reason}`);
        const { label, obstacles } = kind;
        const found = obstacles === "none" ? [] : await scope.call((aws) => obstacles(aws, cloudId));
        const inTheWay = await withoutOrphans(db, request.accountId, found);
        refuse(inTheWay.map(({ fact }) => `the ${label} ${cloudId} ${fact}`));
        await scope.call((aws) => kind.remove(aws, cloudId, {}));
        if (await find()) throw poll(`AWS to remove the ${kind.label}`);
      }
      await db.drift.deleteMany({ where: { id: resourceId } });
    },
  },
});

/** Leaves out other orphans, whose own removals may be under way. */
async function withoutOrphans(db: AwsStageContext["db"], accountId: string, found: Obstacle[]): Promise<Obstacle[]> {
  if (found.length === 0) return [];
  const orphans = await db.drift.findMany({
    where: { accountId, finding: "orphan", cloudId: { in: found.flatMap(({ ids }) => ids) } },
  });
  const orphanIds = new Set(orphans.map(({ cloudId }) => cloudId));
  return found.filter(({ ids }) => !ids.some((id) => orphanIds.has(id)));
}

/**
 * The reason why an object is not an orphan, or undefined. Without a reason, none can appear before the object is
 * removed: a create writes its ledger row first, and adopts only objects that have that row's token.
 */
async function reasonToKeep(
  db: AwsStageContext["db"],
  accountId: string,
  object: TaggedObject,
  { kind, noticedAt, quietSeconds }: InputOf<"remove_orphan">,
): Promise<string | undefined> {
  if (object.tags[ACCOUNT_TAG] !== accountId) return "it no longer has this account's tag";
  const { ledger, record, request } = ownershipQueries(kind, accountId, quietSeconds);
  const [found] = await db.$queryRaw<{ keeps: string | null }[]>`
    WITH seen AS (${taggedObjectRows([object])})
    SELECT CASE
      WHEN EXISTS (${ledger} UNION ALL ${ledgerById}) THEN 'the ledger lists it as made by a Request'
      WHEN EXISTS (${record}) THEN 'a record describes it'
      WHEN EXISTS (${request}) THEN 'a Request works on the resource that it was made for, or did a short time ago'
      WHEN ${noticedAt}::timestamptz > now() - make_interval(secs => ${quietSeconds})
        THEN ${`it was found less than ${quietSeconds} seconds ago, and its creation may still be in progress`}
      END AS keeps
    FROM seen`;
  return found?.keeps ?? undefined;
}

// Tags can be changed by hand: a ledger row with the object's id counts, whatever the tags say, in any account.
const ledgerById = Prisma.sql`SELECT 1 FROM cloud_objects c WHERE c.cloud_id = seen.cloud_id AND c.removed_at IS NULL`;
