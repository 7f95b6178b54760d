import { type Db, Prisma } from "@gantry/db";
import { RUNNABLE } from "@gantry/requests";
import { notYet } from "../engine/stage-errors.js";

/** The limits of the drift scan. */
export interface DriftLimits {
  /** The time from one scan of a region to the next. */
  periodSeconds: number;
  /** The most calls to AWS in one region and period. */
  calls: number;
  /** The time without a Request on an object before the object is compared. */
  quietSeconds: number;
}

/** The point at which an interrupted scan resumes. */
export interface Cursor {
  step: string;
  /** The token of the next page, as the step defines it; null for the first page. */
  after: string | null;
  /** The start of the step, by the database's clock. */
  since: string;
  /** The first failure of this scan's earlier steps. */
  message: string | null;
  /** The ids in AWS of the objects that this scan has left out so far. */
  leftOut: string[];
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

// Users' Requests go first. Requests that do not count: those of a type that this version does not implement, which may
// stay unfinished for long, and those that only wait for a watched object.
const idle = (types: string[]) => Prisma.sql`NOT EXISTS (
  SELECT 1 FROM requests r WHERE r.account_id = p.account_id AND r.type = ANY(${types}) AND r.watch IS NULL AND ${RUNNABLE})`;

const CLAIMED = Prisma.sql`id, account_id AS "accountId", provider_id AS "providerId", region, cursor, fence`;

/** Inserts a row for each region in use that has none; a new region is first scanned after one period. */
export async function recordRegions(
  db: Pick<Db, "$executeRaw">,
  { periodSeconds }: Pick<DriftLimits, "periodSeconds">,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO drift_regions (id, account_id, provider_id, region, due_at)
    SELECT l.id, l.account_id, l.provider_id, l.location_id, now() + make_interval(secs => ${periodSeconds})
    FROM provider_locations l JOIN providers v ON v.id = l.provider_id
    WHERE l.parent_id IS NULL AND l.disabled_at IS NULL AND v.provisioned_id IS NOT NULL
      AND v.cancelled_at IS NULL AND v.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM drift_regions p WHERE p.id = l.id)
    ON CONFLICT DO NOTHING`;
}

/**
 * Claims the region that has been due longest, among those without a holder and without users' Requests that are due.
 * Returns undefined if there is none. `types` are the implemented request types.
 */
export async function claimRegion(
  db: Db,
  types: string[],
  { periodSeconds }: DriftLimits,
  leaseSeconds: number,
): Promise<ClaimedRegion | undefined> {
  const [claimed] = await db.$queryRaw<ClaimedRegion[]>`
    UPDATE drift_regions SET
      fence = fence + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
      calls = CASE WHEN period_ends_at <= now() THEN 0 ELSE calls END,
      period_ends_at = CASE WHEN period_ends_at <= now() THEN now() + make_interval(secs => ${periodSeconds})
        ELSE period_ends_at END
    WHERE id = (
      SELECT p.id FROM drift_regions p
        JOIN provider_locations l ON l.id = p.id JOIN providers v ON v.id = p.provider_id
      WHERE p.due_at <= now() AND (p.lease_until IS NULL OR p.lease_until < now())
        AND l.disabled_at IS NULL AND v.cancelled_at IS NULL AND v.deleted_at IS NULL AND ${idle(types)}
      ORDER BY p.due_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED)
    RETURNING ${CLAIMED}`;
  return claimed;
}

/** Takes one region over, whenever it is due: a scan that holds it stops at its next call. */
export async function takeOverRegion(
  db: Pick<Db, "$queryRaw">,
  id: string,
  periodSeconds: number,
  leaseSeconds: number,
): Promise<ClaimedRegion> {
  const [claimed] = await db.$queryRaw<ClaimedRegion[]>`
    UPDATE drift_regions SET fence = fence + 1, lease_until = now() + make_interval(secs => ${leaseSeconds}),
      period_ends_at = greatest(period_ends_at, now() + make_interval(secs => ${periodSeconds}))
    WHERE id = ${id}::uuid RETURNING ${CLAIMED}`;
  if (!claimed) throw new Error(`no such region: ${id}`);
  return claimed;
}

/** @throws NotYet if another worker has taken the region over */
export async function renewClaim(
  db: Pick<Db, "$executeRaw">,
  { id, fence, region }: ClaimedRegion,
  leaseSeconds: number,
): Promise<void> {
  const renewed = await db.$executeRaw`
    UPDATE drift_regions SET lease_until = now() + make_interval(secs => ${leaseSeconds})
    WHERE id = ${id}::uuid AND fence = ${fence}`;
  if (renewed === 0) throw notYet(`the running scan of ${region}`);
}

/**
 * Counts a call against the region's budget and renews the lease. False if the budget is spent, a user's Request is
 * due or the lease is lost.
 */
export async function acquireCall(
  db: Db,
  { id, fence }: ClaimedRegion,
  types: string[],
  { calls }: DriftLimits,
  leaseSeconds: number,
): Promise<boolean> {
  const counted = await db.$queryRaw<object[]>`
    UPDATE drift_regions p SET calls = calls + 1, lease_until = now() + make_interval(secs => ${leaseSeconds})
    WHERE p.id = ${id}::uuid AND p.fence = ${fence} AND p.calls < ${calls} AND ${idle(types)} RETURNING p.id`;
  return counted.length > 0;
}

/** How a worker's scan of a region ended: all steps done, postponed to the next period, or yielded to users' Requests. */
export type ScanEnd = "finished" | "postponed" | "yielded";

/** The delay before a scan that yielded to users' Requests resumes. */
const YIELD_SECONDS = 10;

/** Releases the region and saves the cursor of its scan. */
export async function releaseRegion(
  db: Pick<Db, "$executeRaw">,
  { id, fence }: ClaimedRegion,
  outcome: { end: ScanEnd; cursor: Cursor | null; message: string | null; leftOut: string[] },
  { calls }: Pick<DriftLimits, "calls">,
): Promise<void> {
  const { end, cursor, message, leftOut } = outcome;
  const isWhole = end === "finished" && message === null;
  await db.$executeRaw`
    UPDATE drift_regions SET lease_until = NULL, message = ${message},
      cursor = ${cursor && JSON.stringify(cursor)}::jsonb,
      left_out = CASE WHEN ${end === "finished"} THEN ${leftOut} ELSE left_out END,
      last_scanned_at = CASE WHEN ${isWhole} THEN now() ELSE last_scanned_at END,
      due_at = CASE WHEN ${end !== "yielded"} OR calls >= ${calls} THEN period_ends_at
        ELSE now() + make_interval(secs => ${YIELD_SECONDS}) END
    WHERE id = ${id}::uuid AND fence = ${fence}`;
}

/** A query that locks the region's row, and has no row once the lease is lost: every write of a scan starts from it. */
export function holdRegion({ id, fence }: ClaimedRegion): Prisma.Sql {
  return Prisma.sql`SELECT 1 FROM drift_regions WHERE id = ${id}::uuid AND fence = ${fence} FOR UPDATE`;
}
