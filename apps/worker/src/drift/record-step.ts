import { isDeepStrictEqual } from "node:util";
import { Prisma } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import type { Aws } from "../aws/clients.js";
import { holdRegion } from "./region-claim.js";
import type { ScanContext, ScanStep } from "./scan-step.js";

/** The state that AWS shows for a record's object, by the record's columns. */
type ObservedState = Record<string, string | null>;

interface RecordRow {
  id: string;
  cloudId: string;
  updatedAt: Date;
  isGone: boolean;
  recorded: ObservedState;
}

/** Records of one kind that describe objects in AWS. */
export interface RecordKind {
  /** As the ledger names it. */
  kind: string;
  /** The record's type, as Requests name it. */
  type: string;
  table: string;
  idType: "integer" | "uuid";
  /** The columns of text that repeat what AWS shows; one of them is `state`. */
  columns: readonly string[];
  /** More columns that `describe` reads. */
  reads?: readonly string[];
  /** The state of a record whose object AWS no longer has. */
  gone: string;
  /** The resources, as types with ids, whose Requests may change a record `t`. */
  workedOnBy: Prisma.Sql;
  /** The object's state, or undefined where AWS no longer has it. Concurrent calls are sent to AWS as one. */
  describe(aws: Aws, cloudId: string, row: ObservedState): Promise<ObservedState | undefined>;
}

const PAGE = 100;

/** A step that compares the records of one kind with AWS. */
export function recordStep(kind: RecordKind): ScanStep {
  return {
    name: kind.table,
    async page(context, after) {
      const rows = await fetchRecords(context, kind, after);
      if (rows.length === 0) return null;
      const seen = await context.call((aws) =>
        Promise.all(rows.map((row) => kind.describe(aws, row.cloudId, row.recorded))),
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
  const pairs = [...columns, ...reads].map((name) => Prisma.sql`${name}::text, ${Prisma.raw(`t."${name}"`)}`);
  return db.$queryRaw<RecordRow[]>`
    SELECT t.id::text, t.provisioned_id AS "cloudId", t.updated_at AS "updatedAt",
      t.disappeared_at IS NOT NULL AS "isGone", jsonb_build_object(${Prisma.join(pairs)}) AS recorded
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
  const before = Object.fromEntries(kind.columns.map((name) => [name, row.recorded[name] ?? null]));
  const after = { ...before, ...(seen ?? { state: kind.gone }) };
  if (seen && !row.isGone && isDeepStrictEqual(before, after)) return undefined;
  const found = { id: row.id, updated_at: row.updatedAt, is_gone: !seen, finding_id: uuidv7(), cloud_id: row.cloudId };
  return { ...found, before, after };
}

/**
 * Updates the records to what AWS shows, and records their earlier values as findings. Skips a record that was written
 * since it was read, and one that a Request works on or worked on within `quietSeconds`.
 */
async function write(
  { db, claimed, quietSeconds }: ScanContext,
  kind: RecordKind,
  differing: Difference[],
): Promise<void> {
  const { table, idType, columns, workedOnBy } = kind;
  const assignments = columns.map((name) => Prisma.sql`${Prisma.raw(`"${name}"`)} = seen.after->>${name}::text`);
  await db.$executeRaw`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) AS s(id ${Prisma.raw(idType)},
      updated_at timestamptz, is_gone boolean, finding_id uuid, cloud_id text, before jsonb, after jsonb)),
    written AS (
      UPDATE ${Prisma.raw(table)} t SET ${Prisma.join(assignments)}, updated_at = now(),
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

/** The time for which a change is shown. */
const CHANGE_RETENTION = Prisma.raw("interval '30 days'");

/** Deletes old changes, and the findings on records that are deleted or whose object is back in AWS. */
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
