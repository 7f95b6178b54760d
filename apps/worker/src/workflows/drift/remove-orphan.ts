import { Prisma } from "@gantry/db";
import type { InputOf } from "@gantry/requests";
import { kinds } from "../../aws/kinds.js";
import { ACCOUNT_TAG, type TaggedObject, taggedKinds } from "../../aws/tagged-objects.js";
import { ownershipQueries, taggedObjectRows } from "../../drift/ownership.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";

/** Removes a thing that carries the account's tag and that nothing on record knows. */
export const removeOrphan = awsWorkflow({
  type: "remove_orphan",
  stages: {
    destroy: async ({ resourceId, request, input, db, cloud }) => {
      const { cloudId, providerId, region } = input;
      const tagged = taggedKinds.find(({ kind }) => kind === input.kind);
      const kind = kinds.get(input.kind);
      if (!tagged || !kind) throw permanent(`This version removes no orphan of the kind ${input.kind}`);
      const scope = cloud({ providerId, region });
      const find = () => scope.call((aws) => tagged.find(aws, cloudId));
      const found = await find();
      if (found) {
        const reason = await reasonToKeep(db, request.accountId, found, input);
        if (reason) throw permanent(`The ${kind.label} ${cloudId} was not removed: ${reason}`);
        await scope.call((aws) => kind.remove(aws, cloudId, {}));
        if (await find()) throw poll(`AWS to remove the ${kind.label}`);
      }
      await db.drift.deleteMany({ where: { id: resourceId } });
    },
  },
});

/**
 * Why a thing is no orphan now, or undefined. That holds until the thing is removed: what makes things writes its row of
 * the ledger before, and knows them by that row alone.
 */
async function reasonToKeep(
  db: AwsStageContext["db"],
  accountId: string,
  object: TaggedObject,
  { kind, noticedAt, quietSeconds }: InputOf<"remove_orphan">,
): Promise<string | undefined> {
  if (object.tags[ACCOUNT_TAG] !== accountId) return "it does not carry this account's tag any more";
  const { ledger, record, request } = ownershipQueries(kind, accountId, quietSeconds);
  const [found] = await db.$queryRaw<{ keeps: string | null }[]>`
    WITH seen AS (${taggedObjectRows([object])})
    SELECT CASE
      WHEN EXISTS (${ledger} UNION ALL ${ledgerById}) THEN 'a Request made it for something that is still there'
      WHEN EXISTS (${record}) THEN 'a record stands for it'
      WHEN EXISTS (${request}) THEN 'a Request is at work on what it was made for, or was until lately'
      WHEN ${noticedAt}::timestamptz > now() - make_interval(secs => ${quietSeconds})
        THEN ${`it was noticed less than ${quietSeconds} seconds ago, and what made it may still be at work`}
      END AS keeps
    FROM seen`;
  return found?.keeps ?? undefined;
}

// Tags can be changed by hand: a row that names the thing counts, whatever they say and whosever it is.
const ledgerById = Prisma.sql`SELECT 1 FROM cloud_objects c WHERE c.cloud_id = seen.cloud_id AND c.removed_at IS NULL`;
