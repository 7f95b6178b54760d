import { Prisma, tableOf } from "@gantry/db";
import { type ComparedType, comparedResources, compositesOf, idTypeOf, modelOf } from "@gantry/resources";
import { holdRegion } from "./region-claim.js";
import type { ScanContext } from "./scan-step.js";

/** Values of columns, as text. */
export type Values = Record<string, string | null>;

export interface RecordRow {
  id: string;
  cloudId: string;
  updatedAt: Date;
  isGone: boolean;
  values: Values;
}

export const PAGE_SIZE = 100;

const tableOfType = (type: ComparedType) => Prisma.raw(tableOf(modelOf(type)));
const column = (name: string) => Prisma.raw(`t."${name}"`);

// The first of the regions that are scanned.
const FIRST_REGION = Prisma.sql`(
  SELECT min(l.location_id) FROM provider_locations l
  WHERE l.provider_id = t.provider_id AND l.parent_id IS NULL AND l.disabled_at IS NULL)`;

/** A page of the records of a region that represent an object in AWS. */
export async function fetchRecords(
  { db, claimed }: ScanContext,
  type: ComparedType,
  extraColumns: readonly string[],
  after: string | null,
): Promise<RecordRow[]> {
  const { cloudObject, drift } = comparedResources[type];
  const cloudId = column(cloudObject.column);
  const values = [...drift.columns, ...extraColumns].map((name) => Prisma.sql`${name}::text, ${column(name)}::text`);
  return db.$queryRaw<RecordRow[]>`
    SELECT t.id::text, ${cloudId} AS "cloudId", t.updated_at AS "updatedAt",
      t.disappeared_at IS NOT NULL AS "isGone", jsonb_build_object(${Prisma.join(values)}) AS values
    FROM ${tableOfType(type)} t
    WHERE t.provider_id = ${claimed.providerId} AND ${drift.global ? FIRST_REGION : Prisma.sql`t.region`} = ${claimed.region}
      AND t.deleted_at IS NULL AND ${cloudId} IS NOT NULL ${after === null ? Prisma.empty : Prisma.sql`AND t.id > ${after}`}
    ORDER BY t.id LIMIT ${PAGE_SIZE}`;
}

/** The Requests that work on the record `t` or on what it is a part of, or ended less than `quietSeconds` ago. */
export function workedOn(type: ComparedType, quietSeconds: number): Prisma.Sql {
  const worked = [
    Prisma.sql`(${type}, t.id::text)`,
    ...compositesOf(type).map((whole) => Prisma.sql`(${whole}, ${column(`${whole}_id`)}::text)`),
  ];
  return Prisma.sql`SELECT 1 FROM requests r WHERE (r.resource_type, r.resource_id) IN (${Prisma.join(worked)})
    AND (r.finished_at IS NULL OR r.finished_at > now() - make_interval(secs => ${quietSeconds}))`;
}

/** The values of a record before and after a comparison. */
export interface Difference {
  id: string;
  updated_at: Date;
  is_gone: boolean;
  /** False if only columns differ that AWS changes by itself. */
  is_drift: boolean;
  finding_id: string;
  cloud_id: string;
  before: Values;
  after: Values;
}

/**
 * Writes AWS's values into the records, and the earlier values of what is drift into findings. A record stays as it is if it
 * was written after it was read, or if a Request works on it or has ended less than `quietSeconds` ago.
 */
export async function updateRecords(
  { db, claimed, quietSeconds, leftOut }: ScanContext,
  type: ComparedType,
  differing: Difference[],
): Promise<void> {
  const { cloudObject, drift } = comparedResources[type];
  const values = drift.columns.map((name) =>
    Prisma.raw(
      drift.documents?.includes(name)
        ? `"${name}" = (seen.after ->> '${name}')::jsonb`
        : `"${name}" = (jsonb_populate_record(t, seen.after))."${name}"`,
    ),
  );
  const left = await db.$queryRaw<{ cloudId: string }[]>`
    WITH held AS (${holdRegion(claimed)}),
    seen AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) AS s(id ${Prisma.raw(idTypeOf(type))},
      updated_at timestamptz, is_gone boolean, is_drift boolean, finding_id uuid, cloud_id text, before jsonb, after jsonb)),
    written AS (
      UPDATE ${tableOfType(type)} t SET ${Prisma.join(values)}, updated_at = now(),
        disappeared_at = CASE WHEN seen.is_gone THEN now() END
      FROM held, seen
      WHERE t.id = seen.id AND t.updated_at = seen.updated_at AND t.deleted_at IS NULL AND NOT EXISTS (${workedOn(type, quietSeconds)})
      RETURNING seen.*),
    found AS (
    INSERT INTO drifts (id, account_id, provider_id, region, finding, kind, cloud_id, resource_type, resource_id, before, after)
    SELECT DISTINCT ON (cloud_id) finding_id, ${claimed.accountId}::uuid, ${claimed.providerId}, ${claimed.region},
      CASE WHEN is_gone THEN 'disappeared' ELSE 'changed' END, ${cloudObject.kinds[0]}, cloud_id, ${type}, id::text,
      before, after
    FROM written WHERE is_drift
    ON CONFLICT (provider_id, region, kind, cloud_id, finding) DO UPDATE SET
      before = excluded.before, after = excluded.after, last_seen_at = now())
    SELECT cloud_id AS "cloudId" FROM seen WHERE id NOT IN (SELECT id FROM written)`;
  for (const { cloudId } of left) leftOut.add(cloudId);
}

const CHANGE_RETENTION = Prisma.raw("interval '30 days'");

/** Deletes changes that are old, and findings about records that are deleted or whose object is there again. */
export async function deleteResolvedFindings({ db, claimed }: ScanContext, type: ComparedType): Promise<void> {
  const { cloudObject } = comparedResources[type];
  await db.$executeRaw`
    DELETE FROM drifts d USING (${holdRegion(claimed)}) held
    WHERE d.provider_id = ${claimed.providerId} AND d.region = ${claimed.region} AND d.kind = ${cloudObject.kinds[0]}
      AND ((d.finding = 'changed' AND d.last_seen_at < now() - ${CHANGE_RETENTION})
        OR (d.finding <> 'orphan' AND NOT EXISTS (
          SELECT 1 FROM ${tableOfType(type)} t WHERE t.id = d.resource_id::${Prisma.raw(idTypeOf(type))} AND t.deleted_at IS NULL
            AND (d.finding = 'changed' OR t.disappeared_at IS NOT NULL))))`;
}
