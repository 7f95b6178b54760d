import { Prisma } from "@gantry/db";
import type { Tagged, TaggedKind } from "../aws/tagged.js";
import { asRows, knowersOf } from "./known.js";
import { held } from "./place.js";
import type { Look, Step } from "./step.js";

/** Notes which things of one kind carry the account's tag though nothing on record knows them. It removes none. */
export function orphanStep({ kind, list }: TaggedKind): Step {
  return {
    name: `tagged ${kind}`,
    async page(look, after) {
      const { accountId } = look.place;
      const { things, next } = await look.call((aws) => list(aws, accountId, after ?? undefined));
      if (things.length > 0) await note(look, kind, things);
      return next ?? null;
    },
    async end({ db, place }, since) {
      await db.$executeRaw`
        DELETE FROM drifts d USING (${held(place)}) held
        WHERE d.provider_id = ${place.providerId} AND d.region = ${place.region} AND d.kind = ${kind}
          AND d.finding = 'orphan' AND d.last_seen_at < ${since}::timestamptz`;
    },
  };
}

/** Notes the things that nothing on record knows. */
async function note({ db, place, quietSeconds }: Look, kind: string, things: Tagged[]): Promise<void> {
  const { accountId, providerId, region } = place;
  const unknown = Object.values(knowersOf(kind, accountId, quietSeconds)).map(
    (knower) => Prisma.sql`NOT EXISTS (${knower})`,
  );
  await db.$executeRaw`
    WITH held AS (${held(place)}),
    seen AS (${asRows(things)})
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, tags)
    SELECT seen.id, ${accountId}::uuid, ${providerId}, ${region}, 'orphan', ${kind}, seen.cloud_id, seen.tags
    FROM held, seen
    WHERE ${Prisma.join(unknown, " AND ")}
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      tags = excluded.tags, last_seen_at = now()`;
}
