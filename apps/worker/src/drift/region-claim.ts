import { type Db, Prisma } from "@gantry/db";
import { RUNNABLE } from "../engine/lease.js";

/** What the drift sweep may spend. Times are in seconds. */
export interface DriftLimits {
  /** How often each place is looked at. */
  periodSeconds: number;
  /** The most calls to AWS in one place and period. */
  calls: number;
  /** How long no Request may have worked on a thing before it is compared. */
  quietSeconds: number;
}

/** Where a pass goes on. */
export interface Cursor {
  step: string;
  /** The page that comes next, in the step's own words; null for its first. */
  after: string | null;
  /** When the step began, by the database's clock. */
  since: string;
  /** Why an earlier step of the pass failed. */
  message: string | null;
}

/** One region of a provider, held by one worker. */
export interface ClaimedRegion {
  id: string;
  accountId: string;
  providerId: number;
  region: string;
  cursor: Cursor | null;
  fence: number;
}

// Users' work goes first. A type that this version does not know may lie there for long, and holds nothing up; nor does
// what only waits for a look.
const idle = (types: string[]) => Prisma.sql`NOT EXISTS (
  SELECT 1 FROM requests r WHERE r.account_id = p.account_id AND r.type = ANY(${types}) AND r.watch IS NULL AND ${RUNNABLE})`;

/** Notes the regions that are in use and not noted yet; a new one is first looked at after a period. */
export async function recordRegions(db: Db, { periodSeconds }: DriftLimits): Promise<void> {
  await db.$executeRaw`
    INSERT INTO drift_places (id, account_id, provider_id, region, due_at)
    SELECT l.id, l.account_id, l.provider_id, l.location_id, now() + make_interval(secs => ${periodSeconds})
    FROM provider_locations l JOIN providers v ON v.id = l.provider_id
    WHERE l.parent_id IS NULL AND l.disabled_at IS NULL AND v.provisioned_id IS NOT NULL
      AND v.cancelled_at IS NULL AND v.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM drift_places p WHERE p.id = l.id)
    ON CONFLICT DO NOTHING`;
}

/** Takes the place that is longest due, held by nobody and idle, or gives undefined. `types` are those of known Requests. */
export async function claimRegion(
  db: Db,
  types: string[],
  { periodSeconds }: DriftLimits,
  leaseSeconds: number,
): Promise<ClaimedRegion | undefined> {
  const [place] = await db.$queryRaw<ClaimedRegion[]>`
    UPDATE drift_places SET
      fence = fence + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
      calls = CASE WHEN period_ends_at <= now() THEN 0 ELSE calls END,
      period_ends_at = CASE WHEN period_ends_at <= now() THEN now() + make_interval(secs => ${periodSeconds})
        ELSE period_ends_at END
    WHERE id = (
      SELECT p.id FROM drift_places p
        JOIN provider_locations l ON l.id = p.id JOIN providers v ON v.id = p.provider_id
      WHERE p.due_at <= now() AND (p.lease_until IS NULL OR p.lease_until < now())
        AND l.disabled_at IS NULL AND v.cancelled_at IS NULL AND v.deleted_at IS NULL AND ${idle(types)}
      ORDER BY p.due_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED)
    RETURNING id, account_id AS "accountId", provider_id AS "providerId", region, cursor, fence`;
  return place;
}

/** Counts a call against the place's budget and renews the lease; false where the budget is spent, users' work is due or the lease is lost. */
export async function acquireCall(
  db: Db,
  { id, fence }: ClaimedRegion,
  types: string[],
  { calls }: DriftLimits,
  leaseSeconds: number,
): Promise<boolean> {
  const counted = await db.$queryRaw<object[]>`
    UPDATE drift_places p SET calls = calls + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})
    WHERE p.id = ${id}::uuid AND p.fence = ${fence} AND p.calls < ${calls} AND ${idle(types)} RETURNING p.id`;
  return counted.length > 0;
}

/** How a worker's turn in a place ended: all was seen, nothing more is to be tried in this period, or it stood back. */
export type ScanEnd = "finished" | "put off" | "stood back";

/** How soon a place that users' work came before is tried again. */
const YIELD_SECONDS = 10;

/** Gives the place back. */
export async function releaseRegion(
  db: Db,
  { id, fence }: ClaimedRegion,
  turn: { end: ScanEnd; cursor: Cursor | null; message: string | null },
  { calls }: DriftLimits,
): Promise<void> {
  const { end, cursor, message } = turn;
  const isWhole = end === "finished" && message === null;
  await db.$executeRaw`
    UPDATE drift_places SET lease_until = NULL, message = ${message},
      cursor = ${cursor && JSON.stringify(cursor)}::jsonb,
      last_looked_at = CASE WHEN ${isWhole} THEN now() ELSE last_looked_at END,
      due_at = CASE WHEN ${end !== "stood back"} OR calls >= ${calls} THEN period_ends_at
        ELSE now() + make_interval(secs => ${YIELD_SECONDS}) END
    WHERE id = ${id}::uuid AND fence = ${fence}`;
}

/** The place's row, locked, where it is still held: writes of a pass start from it. */
export function holdRegion({ id, fence }: ClaimedRegion): Prisma.Sql {
  return Prisma.sql`SELECT 1 FROM drift_places WHERE id = ${id}::uuid AND fence = ${fence} FOR UPDATE`;
}
