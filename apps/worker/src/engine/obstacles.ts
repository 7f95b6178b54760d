import type { CloudKind } from "./cloud-kind.js";
import { kindOf } from "./cloud-scope.js";
import type { Owner } from "./ledger.js";
import { permanent } from "./stage-errors.js";
import type { StageContext } from "./workflow.js";

const MAX_NAMED = 20;

/**
 * Requires that the cloud accepts the removal of all objects of the records. What goes with them is not in the way, and
 * neither is what Gantry removed before, because the cloud may show it for a while.
 *
 * @throws PermanentFailure that names what is in the way
 */
export async function requireNoObstacles<Cloud>(
  { db, request, cloud }: Pick<StageContext<Cloud, unknown>, "db" | "request" | "cloud">,
  kinds: ReadonlyMap<string, CloudKind<Cloud>>,
  owners: Owner[],
): Promise<void> {
  const rows = await db.cloudObject.findMany({
    where: {
      OR: owners.map(({ type, id }) => ({ resourceType: type, resourceId: id })),
      cloudId: { not: null },
      removedAt: null,
    },
    orderBy: { seq: "asc" },
  });
  const lists = await Promise.all(
    rows.map(async ({ providerId, region, cloudId, ...row }) => {
      const { label, obstacles } = kindOf(kinds, row);
      if (obstacles === "none" || cloudId === null) return [];
      const found = await cloud({ providerId, region }).call((client) => obstacles(client, cloudId));
      return found.map(({ fact, ids }) => ({ sentence: `the ${label} ${cloudId} ${fact}`, ids }));
    }),
  );
  const found = lists.flat();
  if (found.length === 0) return;
  const gone = await db.cloudObject.findMany({
    where: {
      accountId: request.accountId,
      cloudId: { in: found.flatMap(({ ids }) => ids) },
      removedAt: { not: null },
    },
    select: { cloudId: true },
  });
  const going = new Set([...rows, ...gone].map(({ cloudId }) => cloudId));
  refuse(found.filter(({ ids }) => !ids.some((id) => going.has(id))).map(({ sentence }) => sentence));
}

/**
 * Refuses a removal for facts about its objects, if there are any.
 *
 * @throws PermanentFailure
 */
export function refuse(sentences: string[]): void {
  if (sentences.length === 0) return;
  const more = sentences.length > MAX_NAMED ? `; and ${sentences.length - MAX_NAMED} more` : "";
  const named = sentences.slice(0, MAX_NAMED).join("; ");
  throw permanent(`AWS would refuse this removal: ${named}${more}. Change this in AWS, then retry`);
}
