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

/**
 * The most rows that one page reads in order to find those that meet conditions which no index serves, and the greatest
 * total that is counted.
 */
export const MAX_READ = 2000;

interface CursorPosition {
  toward: "next" | "prev";
  at: Date | boolean;
  id: string | number;
}

type RowPosition = Omit<CursorPosition, "toward">;

/** The order of a list that has no other. */
export const NEWEST_FIRST: Order<"request"> = {
  expression: Prisma.sql`created_at`,
  type: "time",
  descending: true,
  valueOf: ({ createdAt }) => createdAt,
};

/**
 * One page of a selection in its order. A page with a cursor costs the same at any depth. A page of a selection with
 * `checked` conditions may have fewer records than its size although others follow: its links say so.
 */
export async function fetchPage<M extends Model>(
  db: Db | Tx,
  selection: Selection<M>,
  query: PageQuery,
): Promise<Page<Row<M>>> {
  const { model, checked } = selection;
  const order = selection.order ?? (NEWEST_FIRST as unknown as Order<M>);
  const { page, per_page: size } = query;
  const fromEnd = query.cursor === LAST;
  const position = query.cursor && !fromEnd ? decode(model, order, query.cursor) : undefined;
  const backwards = fromEnd || position?.toward === "prev";
  const walk = { ...selection, order, backwards, after: afterPosition(order, position) };
  const skipped = query.cursor ? 0 : (page - 1) * size;
  const statement = checked
    ? Prisma.sql`SELECT * FROM (${inOrder(walk, Prisma.raw(`${MAX_READ}`))}) AS read_row WHERE ${checked}
        ${orderBy(walk)} LIMIT ${size + 1} OFFSET ${skipped}`
    : Prisma.sql`${inOrder(walk, Prisma.sql`${size + 1 + skipped}`)} OFFSET ${skipped}`;
  const [found, { hasMore, ...total }] = await Promise.all([
    fetchRows(db, model, statement),
    count(db, { ...selection, order }),
  ]);
  const rows = found.slice(0, size);
  if (backwards) rows.reverse();
  const end = checked && hasMore && found.length <= size ? await lastRead(db, walk) : undefined;
  const hasNext = !fromEnd && (backwards || found.length > size || end !== undefined);
  const positions = rows.map((row) => ({ at: order.valueOf(row), id: (row as { id: string | number }).id }));
  return { rows, ...total, links: linksAround(positions, query, { hasNext, backwards, end, ...total }) };
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

interface Around extends Total {
  hasNext: boolean;
  backwards: boolean;
  /** The row up to which the page has read, if it is not full and other rows follow. */
  end: RowPosition | undefined;
}

function linksAround(
  rows: RowPosition[],
  { page, per_page }: PageQuery,
  { hasNext, backwards, end, total, estimated }: Around,
): Page<never>["links"] {
  const links: Page<never>["links"] = [];
  const first = (backwards ? end : undefined) ?? rows[0] ?? end;
  const last = (backwards ? undefined : end) ?? rows.at(-1) ?? end;
  if (hasNext && last) links.push({ rel: "next", page: page + 1, cursor: encode("next", last) });
  const readsOn = backwards && end !== undefined;
  if (!readsOn && (page === 2 || (page > 1 && !first))) links.push({ rel: "prev", page: page - 1 });
  else if ((readsOn || page > 2) && first)
    links.push({ rel: "prev", page: Math.max(1, page - 1), cursor: encode("prev", first) });
  const lastPage = Math.max(1, Math.ceil(total / per_page));
  links.push({ rel: "last", page: lastPage, ...(estimated && { cursor: LAST }) });
  return links;
}

/** A way through a selection. */
interface Walk<M extends Model> extends Selection<M> {
  order: Order<M>;
  backwards: boolean;
  /** `AND` and the condition of the rows behind a position. */
  after: Prisma.Sql;
}

/** The first rows of a walk: each range of an index begins at the position and ends at the limit. */
function inOrder<M extends Model>(walk: Walk<M>, limit: Prisma.Sql): Prisma.Sql {
  const { model, where, each, after, order } = walk;
  const range = (part: Prisma.Sql) =>
    Prisma.sql`SELECT * FROM ${table(model)} WHERE ${where} ${part} ${after} ${orderBy(walk)} LIMIT ${limit}`;
  const ranges = order.parts?.map((part) => Prisma.sql`(${range(Prisma.sql`AND ${part}`)})`);
  if (!each && !ranges) return range(Prisma.empty);
  const rows = ranges ? Prisma.join(ranges, " UNION ALL ") : range(Prisma.empty);
  const from = each ? Prisma.sql`(${each}) AS scope CROSS JOIN LATERAL (${rows})` : Prisma.sql`(${rows})`;
  return Prisma.sql`SELECT range_row.* FROM ${from} AS range_row ${orderBy(walk)} LIMIT ${limit}`;
}

function orderBy<M extends Model>({ order, backwards }: Walk<M>): Prisma.Sql {
  const direction = order.descending === backwards ? ASC : DESC;
  return Prisma.sql`ORDER BY ${order.expression} ${direction}, id ${direction}`;
}

/** The last row that a page with checked conditions has read; undefined if it has read all. */
async function lastRead<M extends Model>(db: Db | Tx, walk: Walk<M>): Promise<RowPosition | undefined> {
  const limit = Prisma.raw(`${MAX_READ}`);
  const [row] = await db.$queryRaw<RowPosition[]>`
    SELECT ${walk.order.expression} AS at, id FROM (${inOrder(walk, limit)}) AS read_row
    ${orderBy(walk)} LIMIT 1 OFFSET ${Prisma.raw(`${MAX_READ - 1}`)}`;
  return row;
}

function afterPosition<M extends Model>(order: Order<M>, position: CursorPosition | undefined): Prisma.Sql {
  if (!position) return Prisma.empty;
  const comparison = Prisma.raw((position.toward === "next") === order.descending ? "<" : ">");
  return Prisma.sql`AND (${order.expression}, id) ${comparison} (${position.at}, ${position.id})`;
}

function encode(toward: CursorPosition["toward"], { at, id }: RowPosition): string {
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

/** @returns the total, and whether the selection has more rows than one page reads */
async function count<M extends Model>(
  db: Db | Tx,
  selection: Selection<M> & { order: Order<M> },
): Promise<Total & { hasMore: boolean }> {
  const { model, where, each, checked = Prisma.sql`TRUE` } = selection;
  const condition = Prisma.sql`${where} AND ${checked}`;
  const from = each ? Prisma.sql`(${each}) AS scope CROSS JOIN LATERAL` : Prisma.empty;
  const selected = each
    ? Prisma.sql`SELECT 1 FROM ${from} (SELECT 1 FROM ${table(model)} WHERE ${condition}) AS range_row`
    : Prisma.sql`SELECT 1 FROM ${table(model)} WHERE ${condition}`;
  const key = JSON.stringify([model, selected.sql, selected.values]);
  const cached = estimates.get(key);
  if (cached) return { ...cached, hasMore: true };
  const walk = { ...selection, backwards: false, after: Prisma.empty };
  const [counted] = await db.$queryRaw<{ total: bigint; read: bigint }[]>`
    SELECT count(*) FILTER (WHERE ${checked}) AS total, count(*) AS read
    FROM (${inOrder(walk, Prisma.raw(`${MAX_READ + 1}`))}) AS read_row`;
  const exact = Number(counted?.total);
  if (Number(counted?.read) <= MAX_READ) return { total: exact, estimated: false, hasMore: false };
  const [plan] = await db.$queryRaw<
    { "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }[]
  >`EXPLAIN (FORMAT JSON) ${selected}`;
  const total = { total: Math.max(exact, plan?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0), estimated: true };
  estimates.set(key, total);
  return { ...total, hasMore: true };
}
