import { type Model, Prisma } from "@gantry/db";
import { type Order, type Selection, table } from "../rows/rows.js";
import type { CursorPosition } from "./page.cursor.js";

/** The most rows that a page, or its total, reads to find those that match conditions which no index serves. */
export const MAX_READ = 50_000;

/** The order of a list that has no other. */
export const NEWEST_FIRST: Order<"request"> = {
  expression: Prisma.sql`created_at`,
  type: "time",
  descending: true,
  valueOf: ({ createdAt }) => createdAt,
};

/** A scan of a selection. */
export interface Walk<M extends Model> extends Selection<M> {
  order: Order<M>;
  backwards: boolean;
  /** The position at which it begins; absent for the first row. */
  position?: CursorPosition | undefined;
}

const ASC = Prisma.raw("ASC");
const DESC = Prisma.raw("DESC");

/** The first rows of each range of a walk: a range of an index begins at the position and ends at the limit. */
export function rangesOf<M extends Model>(
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

export function orderBy<M extends Model>(
  { order, backwards, nullColumn }: OrderedWalk<M>,
  expression = order.expression,
): Prisma.Sql {
  const direction = order.descending === backwards ? ASC : DESC;
  const first = nullColumn ? Prisma.sql`${nullColumn} ${backwards ? DESC : ASC}, ` : Prisma.empty;
  return Prisma.sql`ORDER BY ${first}${expression} ${direction}, id ${direction}`;
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
