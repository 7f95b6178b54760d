import { type Db, Prisma } from "@gantry/db";
import { holdPass, type Pass } from "./pass-lease.js";

/** The place in an account's ended Requests, the oldest first, after which the next batch starts. */
export interface RequestCursor {
  finishedAt: Date;
  id: string;
}

/** What a batch did; `next` is null after the last one of the account. */
interface Batch {
  removed: number;
  next: RequestCursor | null;
}

/** Rows that ended before this time are old. */
export function daysAgo(days: number): Prisma.Sql {
  return Prisma.sql`now() - make_interval(days => ${days}::int)`;
}

/** Returns the accounts that have old Requests. */
export async function accountsWithOldRequests(db: Pick<Db, "$queryRaw">, days: number): Promise<string[]> {
  const accounts = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM accounts a WHERE EXISTS (
      SELECT FROM requests r WHERE r.account_id = a.id AND r.finished_at IS NOT NULL AND r.finished_at < ${daysAgo(days)})`;
  return accounts.map(({ id }) => id);
}

const OWNS_OBJECT = Prisma.sql`EXISTS (
  SELECT FROM cloud_objects c WHERE c.request_id = r.id AND c.removed_at IS NULL)`;

const PARENT_RUNS = Prisma.sql`EXISTS (
  SELECT FROM requests parent WHERE parent.id = r.parent_id AND parent.finished_at IS NULL)`;

// A rollback removes the objects of earlier Requests of its type on its record unless one succeeded since: `IN_USE` of
// the ledger. The last success proves it for all of them.
const PROVES_USE = Prisma.sql`r.successful AND EXISTS (
  SELECT FROM cloud_objects c JOIN requests made ON made.id = c.request_id
  WHERE c.resource_type = r.resource_type AND c.resource_id = r.resource_id AND c.removed_at IS NULL
    AND made.type = r.type AND made.seq < r.seq)
  AND NOT EXISTS (
    SELECT FROM requests later WHERE later.resource_type = r.resource_type AND later.resource_id = r.resource_id
      AND later.type = r.type AND later.successful AND later.seq > r.seq)`;

// The next removal of the database uses the final snapshot that this one names.
const NAMES_FINAL_SNAPSHOT = Prisma.sql`r.type = 'deprovision_database_service' AND NOT r.successful AND EXISTS (
  SELECT FROM database_services d WHERE d.deleted_at IS NULL
    AND d.id = CASE WHEN r.type = 'deprovision_database_service' THEN r.resource_id::uuid END)`;

/**
 * Removes the old ones among the next `size` ended Requests of an account, with their stages, messages and rows of the
 * ledger. docs/operations.md says which are kept. A Request that another transaction has locked stays until the next
 * pass, and so does the parent of one that stays.
 *
 * @param after where the batch starts; undefined for the oldest Request
 * @param removed the number that the pass has removed so far
 * @returns undefined if another worker has taken the pass over
 */
export async function removeOldRequests(
  db: Pick<Db, "$queryRaw">,
  {
    accountId,
    days,
    size,
    after,
  }: { accountId: string; days: number; size: number; after?: RequestCursor | undefined },
  pass: Pass,
  removed: number,
): Promise<Batch | undefined> {
  const isAfter = after
    ? Prisma.sql`(finished_at, id) > (${after.finishedAt}::timestamptz, ${after.id}::uuid)`
    : Prisma.sql`true`;
  // An array keeps each DELETE on the index of its table, whatever the statistics say about the number of its elements.
  const isRemoved = Prisma.sql`= ANY (ARRAY(SELECT id FROM removable))`;
  const [batch] = await db.$queryRaw<{ removed: number; count: number; finishedAt: Date | null; id: string | null }[]>`
    WITH RECURSIVE held AS MATERIALIZED (${holdPass(pass, removed)}),
    page AS MATERIALIZED (
      SELECT id, finished_at FROM requests
      WHERE EXISTS (SELECT FROM held) AND account_id = ${accountId}::uuid AND finished_at IS NOT NULL
        AND finished_at < ${daysAgo(days)} AND ${isAfter}
      ORDER BY finished_at, id LIMIT ${size}::int),
    candidates AS MATERIALIZED (
      SELECT r.id, r.parent_id FROM requests r
      WHERE r.id = ANY (ARRAY(SELECT id FROM page)) AND r.leaked_resources = '[]'::jsonb
        AND NOT ${OWNS_OBJECT} AND NOT ${PARENT_RUNS} AND NOT (${PROVES_USE}) AND NOT (${NAMES_FINAL_SNAPSHOT})
      FOR UPDATE OF r SKIP LOCKED),
    parents AS (
      SELECT p.id, p.parent_id FROM candidates p WHERE EXISTS (
        SELECT FROM requests child WHERE child.parent_id = p.id AND child.id NOT IN (SELECT id FROM candidates))
      UNION SELECT p.id, p.parent_id FROM candidates p JOIN parents kept ON kept.parent_id = p.id),
    removable AS MATERIALIZED (SELECT id FROM candidates WHERE id NOT IN (SELECT id FROM parents)),
    stages AS (DELETE FROM request_stages WHERE request_id ${isRemoved}),
    messages AS (DELETE FROM request_messages WHERE request_id ${isRemoved}),
    objects AS (DELETE FROM cloud_objects WHERE request_id ${isRemoved}),
    ended AS (DELETE FROM requests WHERE id ${isRemoved})
    SELECT (SELECT count(*)::int FROM removable) AS removed, (SELECT count(*)::int FROM page) AS count,
      last.finished_at AS "finishedAt", last.id
    FROM held LEFT JOIN (SELECT finished_at, id FROM page ORDER BY finished_at DESC, id DESC LIMIT 1) last ON true`;
  if (!batch) return undefined;
  const { finishedAt, id, count } = batch;
  return { removed: batch.removed, next: finishedAt && id && count === size ? { finishedAt, id } : null };
}
