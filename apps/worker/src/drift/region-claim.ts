import { type Db, Prisma } from "@gantry/db";
import { RUNNABLE } from "../engine/lease.js";

/** The limits of drift scans. Times are in seconds. */
export interface DriftLimits {
  /** The time between two scans of a region. */
  periodSeconds: number;
  /** The greatest number of calls to AWS in one region and period. */
  calls: number;
  /** The age that the end of a Request needs before its resource is compared. */
  quietSeconds: number;
}

/** The position from which a scan continues. */
export interface Cursor {
  step: string;
  /** The step's cursor of the next page; null for the first. */
  after: string | null;
  /** When the step began, by the database's clock. */
  since: string;
  /** The error of an earlier step of the scan. */
  message: string | null;
}

/** One region of a provider, claimed by one worker. */
export interface ClaimedRegion {
  id: string;
  accountId: string;
  providerId: number;
  region: string;
  cursor: Cursor | null;
  fence: number;
}

// Users' work goes first. Requests of unknown types may stay for long and hold no scan up, and neither do Requests that
// only wait for a poll.
const idle = (types: string[]) => Prisma.sql`NOT EXISTS (
  SELECT 1 FROM requests r WHERE r.account_id = p.account_id AND r.type = ANY(${types}) AND r.watch IS NULL AND ${RUNNABLE})`;

/** Inserts the regions in use that have no row yet. The first scan of a region is due after a period. */
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

/** Claims the region that is due for the longest time, unclaimed and idle, if any. `types` are those of known Requests. */
export async function claimRegion(
  db: Db,
  types: string[],
  { periodSeconds }: DriftLimits,
  leaseSeconds: number,
): Promise<ClaimedRegion | undefined> {
  const [claimed] = await db.$queryRaw<ClaimedRegion[]>`
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
  return claimed;
}

/** Counts a call and renews the lease; false where the budget is spent, users' work is due or the lease is lost. */
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

/** The end of a worker's scan: after all steps, until the next period, or in favour of users' work. */
export type ScanEnd = "finished" | "postponed" | "yielded";

/** The time until a scan that yielded continues. */
const YIELD_SECONDS = 10;

/** Releases the region and sets its next scan. */
export async function releaseRegion(
  db: Db,
  { id, fence }: ClaimedRegion,
  scan: { end: ScanEnd; cursor: Cursor | null; message: string | null },
  { calls }: DriftLimits,
): Promise<void> {
  const { end, cursor, message } = scan;
  const isWhole = end === "finished" && message === null;
  await db.$executeRaw`
    UPDATE drift_places SET lease_until = NULL, message = ${message},
      cursor = ${cursor && JSON.stringify(cursor)}::jsonb,
      last_looked_at = CASE WHEN ${isWhole} THEN now() ELSE last_looked_at END,
      due_at = CASE WHEN ${end !== "yielded"} OR calls >= ${calls} THEN period_ends_at
        ELSE now() + make_interval(secs => ${YIELD_SECONDS}) END
    WHERE id = ${id}::uuid AND fence = ${fence}`;
}

/** The region's row, locked, while this worker holds it: the first part of every write of a scan. */
export function holdRegion({ id, fence }: ClaimedRegion): Prisma.Sql {
  return Prisma.sql`SELECT 1 FROM drift_places WHERE id = ${id}::uuid AND fence = ${fence} FOR UPDATE`;
}
