import { type Db, type Model, Prisma, type Row, type Tx } from "@gantry/db";
import { fetchRows, table } from "../rows/rows.js";
import { positionOf, type RowPosition } from "./page.cursor.js";
import { MAX_READ, orderBy, rangesOf, type Walk } from "./page.walk.js";

/** The steps of a page: a few rows first, for which the planner always uses an index. */
const STEPS = [
  { ofAll: 2000, leastOfEach: 100 },
  { ofAll: MAX_READ, leastOfEach: 1000 },
];

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

export async function readAll<M extends Model>(
  db: Db | Tx,
  walk: Walk<M>,
  { size, skipped }: Range,
): Promise<Found<M>> {
  const limit = Prisma.raw(`${size + 1 + skipped}`);
  const statement = Prisma.sql`SELECT * FROM ${rangesOf(walk, () => Prisma.sql`*`, limit)} ${orderBy(walk)}
    LIMIT ${size + 1} OFFSET ${skipped}`;
  return { found: await fetchRows(db, walk.model, statement) };
}

type Checked<M extends Model> = Walk<M> & { checked: Prisma.Sql };

export async function readChecked<M extends Model>(db: Db | Tx, walk: Checked<M>, range: Range): Promise<Found<M>> {
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
