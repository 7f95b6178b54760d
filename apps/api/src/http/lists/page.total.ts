import { type Db, type Model, Prisma, type Tx } from "@gantry/db";
import { LRUCache } from "lru-cache";
import { type Order, type Selection, table } from "../rows/rows.js";
import { MAX_READ, NEWEST_FIRST, rangesOf } from "./page.walk.js";

/** The greatest total that is counted. */
const EXACT_UP_TO = 10_000;

export interface Total {
  total: number;
  estimated: boolean;
}

/** Estimates of many rows by database, each made once for all pages. */
const estimatesOf = new WeakMap<Db | Tx, LRUCache<string, Total>>();

/**
 * Returns the total, exactly if it is up to `EXACT_UP_TO` and, of a selection with `checked` conditions, if the rows to
 * read for it are up to `MAX_READ`.
 */
export async function countRows<M extends Model>(
  db: Db | Tx,
  selection: Selection<M> & { order: Order<M> },
): Promise<Total> {
  const { model, where, each, checked, order } = selection;
  const condition = checked ? Prisma.sql`${where} AND ${checked}` : where;
  const rows = Prisma.sql`SELECT * FROM ${table(model)} WHERE`;
  const selected = each
    ? Prisma.sql`SELECT 1 FROM (${each}) AS scope CROSS JOIN LATERAL (${rows} ${condition}) AS selected_row`
    : Prisma.sql`SELECT 1 FROM (${rows} ${condition}) AS selected_row`;
  const key = JSON.stringify([model, selected.sql, selected.values]);
  const estimates = estimatesOf.get(db) ?? new LRUCache({ max: 1000, ttl: 10_000 });
  estimatesOf.set(db, estimates);
  const cached = estimates.get(key);
  if (cached) return cached;
  const most = Prisma.raw(`${checked ? MAX_READ : EXACT_UP_TO}`);
  // In an order that an index has, so that the planner does not choose to read the whole table.
  const indexedOrder = order.parts ? (NEWEST_FIRST as unknown as Order<M>) : order;
  const walk = { ...selection, order: indexedOrder, backwards: false };
  const isMet = Prisma.sql`(${checked ?? Prisma.sql`TRUE`}) IS TRUE AS is_met`;
  const [counted] = await db.$queryRaw<{ total: bigint; hasMore: boolean }[]>`
    SELECT count(*) FILTER (WHERE is_met) AS total, coalesce(bool_or(NOT is_read), FALSE) AS "hasMore"
    FROM (SELECT is_met AND read_number <= ${most} AS is_met, read_number <= ${most} AS is_read
      FROM (SELECT is_met, row_number() OVER () AS read_number
        FROM ${rangesOf(walk, () => isMet, Prisma.sql`${most} + 1`)} LIMIT ${most} + 1) AS numbered_row
      WHERE is_met OR read_number > ${most} LIMIT ${Prisma.raw(`${EXACT_UP_TO + 1}`)}) AS counted_row`;
  const exact = Number(counted?.total);
  if (exact <= EXACT_UP_TO && !counted?.hasMore) return { total: exact, estimated: false };
  const [plan] = await db.$queryRaw<
    { "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }[]
  >`EXPLAIN (FORMAT JSON) ${selected}`;
  const total = { total: Math.max(exact, plan?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0), estimated: true };
  estimates.set(key, total);
  return total;
}
