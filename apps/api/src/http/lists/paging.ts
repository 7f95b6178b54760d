import { type Db, type Model, Prisma, type Row, type Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { invalid } from "../errors/errors.js";
import { fetchRows, isValidId, type Order, type Selection, table } from "../rows/rows.js";

export const pageShape = {
  page: z.coerce.number().int().min(1).default(1).describe("The page number"),
  per_page: z.coerce.number().int().min(1).max(100).default(20).describe("Records per page"),
  cursor: field(
    z.string().max(200).optional(),
    "next",
    "Where the page starts; taken from a link in the header `Link`",
  ),
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

/** The greatest total that is counted. */
const EXACT_UP_TO = 10_000;

/** The most rows that a page, or its total, reads to find those that match conditions which no index serves. */
const MAX_READ = 50_000;

/** The steps of a page: a few rows first, for which the planner always uses an index. */
const STEPS = [
  { ofAll: 2000, leastOfEach: 100 },
  { ofAll: MAX_READ, leastOfEach: 1000 },
];

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
 * Returns one page of a selection in its order. A page with a cursor costs the same at any depth. A page of a selection
 * with `checked` conditions has fewer records than its size, although others follow, if it has read `MAX_READ` rows.
 */
export async function fetchPage<M extends Model>(
  db: Db | Tx,
  selection: Selection<M>,
  query: PageQuery,
): Promise<Page<Row<M>>> {
  const order = selection.order ?? (NEWEST_FIRST as unknown as Order<M>);
  const { page, per_page: size } = query;
  const fromEnd = query.cursor === LAST;
  const position = query.cursor && !fromEnd ? decode(selection.model, order, query.cursor) : undefined;
  const backwards = fromEnd || position?.toward === "prev";
  const walk = { ...selection, order, backwards, position };
  const range = { size, skipped: query.cursor ? 0 : (page - 1) * size };
  const [{ found, end }, total] = await Promise.all([
    walk.checked ? readChecked(db, { ...walk, checked: walk.checked }, range) : readAll(db, walk, range),
    count(db, { ...selection, order }),
  ]);
  const rows = found.slice(0, size);
  if (backwards) rows.reverse();
  const hasNext = !fromEnd && (backwards || found.length > size || end !== undefined);
  const positions = rows.map((row) => positionOf(order, row));
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

/** A scan of a selection. */
interface Walk<M extends Model> extends Selection<M> {
  order: Order<M>;
  backwards: boolean;
  /** The position at which it begins; absent for the first row. */
  position?: CursorPosition | undefined;
}

interface Range {
  size: number;
  skipped: number;
}

interface Found<M extends Model> {
  /** The rows of the page, and one more if it is full and others follow. */
  found: Row<M>[];
  /** The row up to which the page has read, if it is not full and other rows may follow. */
  end?: RowPosition | undefined;
}

async function readAll<M extends Model>(db: Db | Tx, walk: Walk<M>, { size, skipped }: Range): Promise<Found<M>> {
  const limit = Prisma.raw(`${size + 1 + skipped}`);
  const statement = Prisma.sql`SELECT * FROM ${rangesOf(walk, () => Prisma.sql`*`, limit)} ${orderBy(walk)}
    LIMIT ${size + 1} OFFSET ${skipped}`;
  return { found: await fetchRows(db, walk.model, statement) };
}

type Checked<M extends Model> = Walk<M> & { checked: Prisma.Sql };

async function readChecked<M extends Model>(db: Db | Tx, walk: Checked<M>, range: Range): Promise<Found<M>> {
  let read: Found<M> = { found: [] };
  for (const { ofAll, leastOfEach } of STEPS) {
    const scopes = walk.each ? Prisma.sql`(SELECT count(*) FROM (${walk.each}) AS counted_scope)` : Prisma.sql`1`;
    const ranges = Prisma.sql`greatest(${scopes} * ${Prisma.raw(`${walk.order.parts?.length ?? 1}`)}, 1)`;
    const most = Prisma.sql`greatest(${Prisma.raw(`${ofAll}`)} / ${ranges}, ${Prisma.raw(`${leastOfEach}`)})`;
    read = await readUpTo(db, walk, range, most);
    if (!read.end) break;
  }
  return read;
}

/** Reads each range up to a number of rows. The row that first reaches it ends the page if the page is not full before. */
async function readUpTo<M extends Model>(
  db: Db | Tx,
  walk: Checked<M>,
  { size, skipped }: Range,
  most: Prisma.Sql,
): Promise<Found<M>> {
  const { model, order, checked } = walk;
  const nullColumn = walk.nullColumn && Prisma.sql`null_column`;
  const inOrder = orderBy({ ...walk, nullColumn }, Prisma.sql`ordered_by`);
  // Few columns of the many rows that are read, and all columns of those on the page.
  const columns = (rangeOrder: Prisma.Sql) => Prisma.sql`id, ${order.expression} AS ordered_by,
    ${walk.nullColumn ?? Prisma.sql`NULL`} AS null_column,
    (${checked}) IS TRUE AS is_met, row_number() OVER (${rangeOrder}) AS read_number`;
  const met = Prisma.sql`SELECT id, ordered_by, null_column, is_met, read_number = ${most} AS is_end
    FROM ${rangesOf(walk, columns, most)}`;
  const candidates =
    skipped === 0
      ? Prisma.sql`SELECT * FROM (${met}) AS met_row WHERE is_met OR is_end`
      : Prisma.sql`SELECT * FROM (SELECT *, count(*) FILTER (WHERE is_met)
            OVER (${inOrder} ROWS UNBOUNDED PRECEDING) AS met_number FROM (${met}) AS met_row) AS ranked_row
          WHERE (is_met AND met_number > ${skipped}) OR is_end`;
  const name = table(model);
  const statement = Prisma.sql`SELECT ${name}.*, is_met, is_end
    FROM (${candidates} ${inOrder} LIMIT ${size + 1}) AS page_row JOIN ${name} USING (id)
    ${inOrder}`;
  const read = (await fetchRows(db, model, statement)) as (Row<M> & { isMet: boolean; isEnd: boolean })[];
  const endAt = read.findIndex(({ isEnd }) => isEnd);
  const end = read[endAt];
  const found = (end ? read.slice(0, endAt + 1) : read).filter(({ isMet }) => isMet);
  return { found, end: end && found.length <= size ? positionOf(order, end) : undefined };
}

/** The first rows of each range of a walk: a range of an index begins at the position and ends at the limit. */
function rangesOf<M extends Model>(
  walk: Walk<M>,
  columnsOf: (rangeOrder: Prisma.Sql) => Prisma.Sql,
  limit: Prisma.Sql,
): Prisma.Sql {
  const { model, where, each, order, position } = walk;
  const parts = order.parts ?? [{ condition: Prisma.sql`TRUE`, expression: order.expression }];
  const ranges = parts.map(({ condition, expression }) => {
    const rows = Prisma.sql`FROM ${table(model)} WHERE ${where} AND ${condition} ${afterPosition(order, expression, position)}`;
    const rangeOrder = orderBy(walk, expression);
    return Prisma.sql`(SELECT ${columnsOf(rangeOrder)} ${rows} ${rangeOrder} LIMIT ${limit})`;
  });
  // Named as the table, since conditions may name their columns so.
  const name = table(model);
  const rows = Prisma.sql`(${Prisma.join(ranges, " UNION ALL ")}) AS ${name}`;
  return each ? Prisma.sql`(SELECT ${name}.* FROM (${each}) AS scope CROSS JOIN LATERAL ${rows}) AS ${name}` : rows;
}

type OrderedWalk<M extends Model> = Pick<Walk<M>, "order" | "backwards"> & { nullColumn?: Prisma.Sql | undefined };

function orderBy<M extends Model>(
  { order, backwards, nullColumn }: OrderedWalk<M>,
  expression = order.expression,
): Prisma.Sql {
  const direction = order.descending === backwards ? ASC : DESC;
  const first = nullColumn ? Prisma.sql`${nullColumn} ${backwards ? DESC : ASC}, ` : Prisma.empty;
  return Prisma.sql`ORDER BY ${first}${expression} ${direction}, id ${direction}`;
}

function positionOf<M extends Model>(order: Order<M>, row: Row<M>): RowPosition {
  return { at: order.valueOf(row), id: (row as { id: string | number }).id };
}

function afterPosition<M extends Model>(
  order: Order<M>,
  expression: Prisma.Sql,
  position: CursorPosition | undefined,
): Prisma.Sql {
  if (!position) return Prisma.empty;
  const comparison = Prisma.raw((position.toward === "next") === order.descending ? "<" : ">");
  return Prisma.sql`AND (${expression}, id) ${comparison} (${position.at}, ${position.id})`;
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
  if (!isPosition || !id) throw invalid("cursor", "is not a valid cursor; omit it to start from the first page");
  return { toward, at: type === "time" ? new Date(Number(at)) : at === "true", id };
}

interface Total {
  total: number;
  estimated: boolean;
}

/** Estimates of many rows by database, each made once for all pages. */
const estimatesOf = new WeakMap<Db | Tx, LRUCache<string, Total>>();

/**
 * Returns the total, exactly if it is up to `EXACT_UP_TO` and, of a selection with `checked` conditions, if the rows to
 * read for it are up to `MAX_READ`.
 */
async function count<M extends Model>(db: Db | Tx, selection: Selection<M> & { order: Order<M> }): Promise<Total> {
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
