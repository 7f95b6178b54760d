import { type Db, type Model, Prisma, type Row, type Tx } from "@gantry/db";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { invalid } from "./errors.js";
import { fetchRows, isValidId, type Order, type Selection, table } from "./rows.js";

export const pageShape = {
  page: z.coerce.number().int().min(1).default(1).describe("The number of the page"),
  per_page: z.coerce.number().int().min(1).max(100).default(20).describe("Records on a page"),
  cursor: z.string().max(200).optional().describe("Where the page begins; comes with the links of `Link`"),
};

export interface PageQuery {
  page: number;
  per_page: number;
  cursor?: string;
}

export interface Page<R> {
  rows: R[];
  total: number;
  estimated: boolean;
  /** The pages around this one, as the query of their links names them. */
  links: { rel: "next" | "prev" | "last"; page: number; cursor?: string }[];
}

const EXACT_UP_TO = 10_000;

interface CursorPosition {
  toward: "next" | "prev";
  at: Date | boolean;
  id: string | number;
}

/** The order of a list that has no other. */
export const NEWEST_FIRST: Order<"request"> = {
  expression: Prisma.sql`created_at`,
  type: "time",
  descending: true,
  valueOf: ({ createdAt }) => createdAt,
};

/** One page of a selection in its order. A page with a cursor costs the same at any depth. */
export async function fetchPage<M extends Model>(
  db: Db | Tx,
  selection: Selection<M>,
  query: PageQuery,
): Promise<Page<Row<M>>> {
  const { model, where } = selection;
  const order = selection.order ?? (NEWEST_FIRST as unknown as Order<M>);
  const { page, per_page: size } = query;
  const fromEnd = query.cursor === LAST;
  const position = query.cursor && !fromEnd ? decode(model, order, query.cursor) : undefined;
  const backwards = fromEnd || position?.toward === "prev";
  const direction = order.descending === backwards ? ASC : DESC;
  const statement = Prisma.sql`SELECT * FROM ${table(model)} WHERE ${where} ${afterPosition(order, position)}
    ORDER BY ${order.expression} ${direction}, id ${direction}
    LIMIT ${size + 1} ${query.cursor ? Prisma.empty : Prisma.sql`OFFSET ${(page - 1) * size}`}`;
  const [found, total] = await Promise.all([fetchRows(db, model, statement), count(db, selection)]);
  const rows = found.slice(0, size);
  if (backwards) rows.reverse();
  const hasNext = !fromEnd && (backwards || found.length > size);
  const positions = rows.map((row) => ({ at: order.valueOf(row), id: (row as { id: string | number }).id }));
  return { rows, ...total, links: linksAround(positions, query, hasNext, total) };
}

/** One page of records that are not in the database. */
export function slicePage<R>(all: R[], { page, per_page: size }: PageQuery): Page<R> {
  const rows = all.slice((page - 1) * size, page * size);
  const links: Page<R>["links"] = [];
  if (page * size < all.length) links.push({ rel: "next", page: page + 1 });
  if (page > 1) links.push({ rel: "prev", page: page - 1 });
  links.push({ rel: "last", page: Math.max(1, Math.ceil(all.length / size)) });
  return { rows, total: all.length, estimated: false, links };
}

const ASC = Prisma.raw("ASC");
const DESC = Prisma.raw("DESC");
const LAST = "last";

function linksAround(
  rows: Omit<CursorPosition, "toward">[],
  { page, per_page }: PageQuery,
  hasNext: boolean,
  total: Total,
): Page<never>["links"] {
  const links: Page<never>["links"] = [];
  const [first, last] = [rows[0], rows.at(-1)];
  if (hasNext && last) links.push({ rel: "next", page: page + 1, cursor: encode("next", last) });
  if (page === 2 || (page > 1 && !first)) links.push({ rel: "prev", page: page - 1 });
  else if (page > 2 && first) links.push({ rel: "prev", page: page - 1, cursor: encode("prev", first) });
  const lastPage = Math.max(1, Math.ceil(total.total / per_page));
  links.push({ rel: "last", page: lastPage, ...(total.estimated && { cursor: LAST }) });
  return links;
}

function afterPosition<M extends Model>(order: Order<M>, position: CursorPosition | undefined): Prisma.Sql {
  if (!position) return Prisma.empty;
  const comparison = Prisma.raw((position.toward === "next") === order.descending ? "<" : ">");
  return Prisma.sql`AND (${order.expression}, id) ${comparison} (${position.at}, ${position.id})`;
}

function encode(toward: CursorPosition["toward"], { at, id }: Omit<CursorPosition, "toward">): string {
  return Buffer.from(`${toward} ${typeof at === "boolean" ? at : at.getTime()} ${id}`).toString("base64url");
}

function decode<M extends Model>(model: M, { type }: Order<M>, cursor: string): CursorPosition {
  const [toward, at = "", id] = Buffer.from(cursor, "base64url").toString().split(" ");
  const isPosition =
    (toward === "next" || toward === "prev") &&
    (type === "time" ? /^\d{1,15}$/ : /^(true|false)$/).test(at) &&
    isValidId(model, id ?? "");
  if (!isPosition || !id) throw invalid("cursor", "is not one of the service's");
  return { toward, at: type === "time" ? new Date(Number(at)) : at === "true", id };
}

interface Total {
  total: number;
  estimated: boolean;
}

// An estimate of many rows is made once for all pages.
const estimates = new LRUCache<string, Total>({ max: 1000, ttl: 10_000 });

async function count<M extends Model>(db: Db | Tx, { model, where }: Selection<M>): Promise<Total> {
  const key = JSON.stringify([model, where.sql, where.values]);
  const cached = estimates.get(key);
  if (cached) return cached;
  const selected = Prisma.sql`SELECT 1 FROM ${table(model)} WHERE ${where}`;
  const [counted] = await db.$queryRaw<{ total: bigint }[]>`
    SELECT count(*) AS total FROM (${selected} LIMIT ${EXACT_UP_TO + 1}) AS counted_rows`;
  const exact = Number(counted?.total);
  if (exact <= EXACT_UP_TO) return { total: exact, estimated: false };
  const [plan] = await db.$queryRaw<
    { "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }[]
  >`EXPLAIN (FORMAT JSON) ${selected}`;
  const total = { total: Math.max(exact, plan?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0), estimated: true };
  estimates.set(key, total);
  return total;
}
