import { isDeepStrictEqual } from "node:util";
import { Prisma } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import type { Aws } from "../aws/clients.js";
import { holdRegion } from "./region-claim.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

/** What AWS says of a record's thing, by the record's columns. */
type ObservedState = Record<string, string | null>;

interface RecordRow {
  id: string;
  cloudId: string;
  updatedAt: Date;
  isGone: boolean;
  said: ObservedState;
}

/** Records of one kind that stand for things in AWS. */
export interface RecordKind {
  /** As the ledger names it. */
  kind: string;
  /** The record's type, as Requests name it. */
  type: string;
  table: string;
  idType: "integer" | "uuid";
  /** Columns of text that say what AWS says; one of them is `state`. */
  columns: readonly string[];
  /** Further columns that `describe` reads. */
  reads?: readonly string[];
  /** The state of what AWS does not have any more. */
  gone: string;
  /** Whose Requests may be at work on a record `t`: types with ids. */
  workedOnBy: Prisma.Sql;
  /** What AWS says, or undefined where it does not have the thing. Those that are asked for together are one call. */
  describe(aws: Aws, cloudId: string, row: ObservedState): Promise<ObservedState | undefined>;
}

const PAGE = 100;

/** Compares the records of one kind with AWS. */
export function recordStep(kind: RecordKind): ScanStep {
  return {
    name: kind.table,
    async page(context, after) {
      const rows = await fetchRecords(context, kind, after);
      if (rows.length === 0) return null;
      const seen = await context.call((aws) =>
        Promise.all(rows.map((row) => kind.describe(aws, row.cloudId, row.said))),
      );
      const differing = rows.flatMap((row, i) => difference(kind, row, seen[i]) ?? []);
      if (differing.length > 0) await write(context, kind, differing);
      return rows.length < PAGE ? null : (rows.at(-1)?.id ?? null);
    },
    end: (context) => deleteResolvedFindings(context, kind),
  };
}

async function fetchRecords(
  { db, claimed }: ScanContext,
  kind: RecordKind,
  after: string | null,
): Promise<RecordRow[]> {
  const { table, columns, reads = [] } = kind;
  const said = [...columns, ...reads].map((name) => Prisma.sql`${name}::text, ${Prisma.raw(`t."${name}"`)}`);
  return db.$queryRaw<RecordRow[]>`
    SELECT t.id::text, t.provisioned_id AS "cloudId", t.updated_at AS "updatedAt",
      t.disappeared_at IS NOT NULL AS "isGone", jsonb_build_object(${Prisma.join(said)}) AS said
    FROM ${Prisma.raw(table)} t
    WHERE t.provider_id = ${claimed.providerId} AND t.region = ${claimed.region} AND t.deleted_at IS NULL
      AND t.provisioned_id IS NOT NULL ${after === null ? Prisma.empty : Prisma.sql`AND t.id > ${after}`}
    ORDER BY t.id LIMIT ${PAGE}`;
}

interface Difference {
  id: string;
  updated_at: Date;
  is_gone: boolean;
  finding_id: string;
  cloud_id: string;
  before: ObservedState;
  after: ObservedState;
}

function difference(kind: RecordKind, row: RecordRow, seen: ObservedState | undefined): Difference | undefined {
  if (!seen && row.isGone) return undefined;
  const before = Object.fromEntries(kind.columns.map((name) => [name, row.said[name] ?? null]));
  const after = { ...before, ...(seen ?? { state: kind.gone }) };
  if (seen && !row.isGone && isDeepStrictEqual(before, after)) return undefined;
  const found = { id: row.id, updated_at: row.updatedAt, is_gone: !seen, finding_id: uuidv7(), cloud_id: row.cloudId };
  return { ...found, before, after };
}

/**
 * Has records say what AWS said, and notes what they said before. A record that was written since it was read is left
 * alone, and so is one that a Request is at work on, or was until lately.
 */
async function write(
  { db, claimed, quietSeconds }: ScanContext,
  kind: RecordKind,
  differing: Difference[],
): Promise<void> {
  const { table, idType, columns, workedOnBy } = kind;
  const taken = columns.map((name) => Prisma.sql`${Prisma.raw(`"${name}"`)} = seen.after->>${name}::text`);
  await db.$executeRaw`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) AS s(id ${Prisma.raw(idType)},
      updated_at timestamptz, is_gone boolean, finding_id uuid, cloud_id text, before jsonb, after jsonb)),
    written AS (
      UPDATE ${Prisma.raw(table)} t SET ${Prisma.join(taken)}, updated_at = now(),
        disappeared_at = CASE WHEN seen.is_gone THEN now() END
      FROM held, seen
      WHERE t.id = seen.id AND t.updated_at = seen.updated_at AND t.deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM requests r WHERE (r.resource_type, r.resource_id) IN (${workedOnBy})
          AND (r.finished_at IS NULL OR r.finished_at > now() - make_interval(secs => ${quietSeconds})))
      RETURNING seen.*)
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, resource_type, resource_id, before, after)
    SELECT DISTINCT ON (cloud_id) finding_id, ${claimed.accountId}::uuid, ${claimed.providerId}, ${claimed.region},
      CASE WHEN is_gone THEN 'disappeared' ELSE 'changed' END, ${kind.kind}, cloud_id, ${kind.type}, id::text, before, after
    FROM written
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      before = excluded.before, after = excluded.after, last_seen_at = now()`;
}

/** For how long a change is told of. */
const CHANGE_RETENTION = Prisma.raw("interval '30 days'");

/** Forgets changes that are old, and whatever was found of records that are deleted or there again. */
async function deleteResolvedFindings(
  { db, claimed }: ScanContext,
  { kind, table, idType }: RecordKind,
): Promise<void> {
  await db.$executeRaw`
    DELETE FROM drifts d USING (${holdRegion(claimed)}) held
    WHERE d.provider_id = ${claimed.providerId} AND d.region = ${claimed.region} AND d.kind = ${kind} AND (
      (d.finding = 'changed' AND d.last_seen_at < now() - ${CHANGE_RETENTION})
      OR (d.finding <> 'orphan' AND NOT EXISTS (
        SELECT 1 FROM ${Prisma.raw(table)} t WHERE t.id = d.resource_id::${Prisma.raw(idType)} AND t.deleted_at IS NULL
          AND (d.finding = 'changed' OR t.disappeared_at IS NOT NULL))))`;
}
