import { Prisma, tableOf } from "@gantry/db";
import { type ComparedType, modelOf, resources, wholesOf } from "@gantry/requests";
import { holdRegion } from "./region-claim.js";
import type { ScanContext } from "./scan-step.js";

/** Values of columns. */
export type Values = Record<string, string | null>;

/** A resource type as the statements of a comparison need it. */
export interface ComparedRecords {
  type: ComparedType;
  kind: string;
  table: Prisma.Sql;
  idType: Prisma.Sql;
  cloudIdColumn: Prisma.Sql;
  columns: readonly string[];
  goneState: string;
}

export interface RecordRow {
  id: string;
  cloudId: string;
  updatedAt: Date;
  isGone: boolean;
  values: Values;
}

export const PAGE_SIZE = 100;

/** The facts about a resource type that a comparison needs. */
export function comparedRecords(type: ComparedType): ComparedRecords {
  const { id, cloudObject, drift } = resources[type];
  if (!cloudObject || !drift) throw new Error(`The catalogue has no cloud object to compare a ${type} with`);
  return {
    type,
    kind: cloudObject.kinds[0] ?? "",
    table: Prisma.raw(tableOf(modelOf(type))),
    idType: Prisma.raw(id),
    cloudIdColumn: columnOfRecord(cloudObject.column),
    ...drift,
  };
}

function columnOfRecord(name: string): Prisma.Sql {
  return Prisma.raw(`t."${name}"`);
}

/** A page of the records of a region that represent an object in AWS. */
export async function fetchRecords(
  { db, claimed }: ScanContext,
  { table, columns, cloudIdColumn }: ComparedRecords,
  reads: readonly string[],
  after: string | null,
): Promise<RecordRow[]> {
  const values = [...columns, ...reads].map((name) => Prisma.sql`${name}::text, ${columnOfRecord(name)}`);
  return db.$queryRaw<RecordRow[]>`
    SELECT t.id::text, ${cloudIdColumn} AS "cloudId", t.updated_at AS "updatedAt",
      t.disappeared_at IS NOT NULL AS "isGone", jsonb_build_object(${Prisma.join(values)}) AS values
    FROM ${table} t
    WHERE t.provider_id = ${claimed.providerId} AND t.region = ${claimed.region} AND t.deleted_at IS NULL
      AND ${cloudIdColumn} IS NOT NULL ${after === null ? Prisma.empty : Prisma.sql`AND t.id > ${after}`}
    ORDER BY t.id LIMIT ${PAGE_SIZE}`;
}

/** The values of a record before and after a comparison. */
export interface Difference {
  id: string;
  updated_at: Date;
  is_gone: boolean;
  finding_id: string;
  cloud_id: string;
  before: Values;
  after: Values;
}

/**
 * Writes AWS's values into the records, and the earlier values into findings. A record stays as it is where it was
 * written after it was read, or where a Request works on it or has ended less than `quietSeconds` ago.
 */
export async function updateRecords(
  { db, claimed, quietSeconds }: ScanContext,
  { type, kind, table, idType, columns }: ComparedRecords,
  differing: Difference[],
): Promise<void> {
  const values = columns.map((name) => Prisma.sql`${Prisma.raw(`"${name}"`)} = seen.after->>${name}::text`);
  const worked = [
    Prisma.sql`(${type}, t.id::text)`,
    ...wholesOf(type).map((whole) => Prisma.sql`(${whole}, ${columnOfRecord(`${whole}_id`)}::text)`),
  ];
  await db.$executeRaw`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) AS s(id ${idType},
      updated_at timestamptz, is_gone boolean, finding_id uuid, cloud_id text, before jsonb, after jsonb)),
    written AS (
      UPDATE ${table} t SET ${Prisma.join(values)}, updated_at = now(),
        disappeared_at = CASE WHEN seen.is_gone THEN now() END
      FROM held, seen
      WHERE t.id = seen.id AND t.updated_at = seen.updated_at AND t.deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM requests r WHERE (r.resource_type, r.resource_id) IN (${Prisma.join(worked)})
          AND (r.finished_at IS NULL OR r.finished_at > now() - make_interval(secs => ${quietSeconds})))
      RETURNING seen.*)
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, resource_type, resource_id, before, after)
    SELECT DISTINCT ON (cloud_id) finding_id, ${claimed.accountId}::uuid, ${claimed.providerId}, ${claimed.region},
      CASE WHEN is_gone THEN 'disappeared' ELSE 'changed' END, ${kind}, cloud_id, ${type}, id::text, before, after
    FROM written
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      before = excluded.before, after = excluded.after, last_seen_at = now()`;
}

const CHANGE_RETENTION = Prisma.raw("interval '30 days'");

/** Deletes changes that are old, and findings about records that are deleted or whose object is there again. */
export async function deleteResolvedFindings(
  { db, claimed }: ScanContext,
  { kind, table, idType }: ComparedRecords,
): Promise<void> {
  await db.$executeRaw`
    DELETE FROM drifts d USING (${holdRegion(claimed)}) held
    WHERE d.provider_id = ${claimed.providerId} AND d.region = ${claimed.region} AND d.kind = ${kind} AND (
      (d.finding = 'changed' AND d.last_seen_at < now() - ${CHANGE_RETENTION})
      OR (d.finding <> 'orphan' AND NOT EXISTS (
        SELECT 1 FROM ${table} t WHERE t.id = d.resource_id::${idType} AND t.deleted_at IS NULL
          AND (d.finding = 'changed' OR t.disappeared_at IS NOT NULL))))`;
}
