import { Prisma } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import type { Tagged, TaggedKind } from "../aws/tagged.js";
import { held } from "./place.js";
import type { Look, Step } from "./step.js";

/** Records that stand for a kind of thing, where there are such: their table, and its column with the id in AWS. */
const RECORDS: Readonly<Record<string, [table: string, column: string]>> = {
  address: ["addresses", "provisioned_id"],
  auto_scaling_group: ["auto_scaling_groups", "provisioned_id"],
  db_cluster: ["database_services", "cluster_id"],
  db_instance: ["database_servers", "provisioned_id"],
  instance: ["servers", "provisioned_id"],
  security_group: ["firewalls", "provisioned_id"],
  snapshot: ["snapshots", "provisioned_id"],
  subnet: ["subnets", "provisioned_id"],
  volume: ["volumes", "provisioned_id"],
  vpc: ["networks", "provisioned_id"],
};

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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidOrNull = (text: string | undefined) => (UUID.test(text ?? "") ? text : null);

function asRow({ id, tags }: Tagged) {
  const [type, resourceId] = (tags["gantry:resource"] ?? "").split("/");
  return {
    id: uuidv7(),
    cloud_id: id,
    token: uuidOrNull(tags["gantry:token"]),
    request: uuidOrNull(tags["gantry:request"]),
    resource_type: type,
    resource_id: resourceId,
    tags,
  };
}

/**
 * Notes the things that no living row of the ledger and no record knows, and that no Request is at work on or was until
 * lately. What AWS made along with something, such as an instance's disk, has that one's token and lives with its row.
 */
async function note({ db, place, quietSeconds }: Look, kind: string, things: Tagged[]): Promise<void> {
  const { accountId, providerId, region } = place;
  const lately = Prisma.sql`now() - make_interval(secs => ${quietSeconds})`;
  const [table = "", column = ""] = RECORDS[kind] ?? [];
  await db.$executeRaw`
    WITH held AS (${held(place)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(things.map(asRow))}::jsonb) AS s(
      id uuid, cloud_id text, token uuid, request uuid, resource_type text, resource_id text, tags jsonb))
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, tags)
    SELECT seen.id, ${accountId}::uuid, ${providerId}, ${region}, 'orphan', ${kind}, seen.cloud_id, seen.tags
    FROM held, seen
    WHERE NOT EXISTS (
        SELECT 1 FROM cloud_objects c WHERE c.id = seen.token AND c.account_id = ${accountId}::uuid
          AND (c.removed_at IS NULL OR c.removed_at > ${lately})
          AND (c.kind <> ${kind} OR c.cloud_id IS NULL OR c.cloud_id = seen.cloud_id))
      AND NOT EXISTS (
        SELECT 1 FROM cloud_objects c WHERE c.account_id = ${accountId}::uuid AND c.resource_type = seen.resource_type
          AND c.resource_id = seen.resource_id AND c.cloud_id = seen.cloud_id AND c.removed_at IS NULL)
      AND NOT EXISTS (
        SELECT 1 FROM ${Prisma.raw(table)} t WHERE t.account_id = ${accountId}::uuid
          AND ${Prisma.raw(`t.${column}`)} = seen.cloud_id AND t.deleted_at IS NULL)
      AND NOT EXISTS (
        SELECT 1 FROM requests r WHERE r.account_id = ${accountId}::uuid
          AND (r.id = seen.request OR (r.resource_type = seen.resource_type AND r.resource_id = seen.resource_id))
          AND (r.finished_at IS NULL OR r.finished_at > ${lately}))
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      tags = excluded.tags, last_seen_at = now()`;
}
