import {
  type CamelCase,
  columnOf,
  type Db,
  fieldOf,
  type Model,
  Prisma,
  type Row,
  readByKey,
  type Tx,
  tableOf,
} from "@gantry/db";
import { idTypeOf, type ResourceType } from "@gantry/resources";
import { validate as isUuid } from "uuid";

/** The rows of a list. */
export interface Selection<M extends Model> {
  model: M;
  /** A condition on its columns that an index serves in the list's order, or that few rows meet. */
  where: Prisma.Sql;
  /** Columns of which `where` selects one value each, or each row of `each` another one. */
  within?: readonly string[];
  /** A statement: the list merges what `where` selects for each of its rows, and `where` may name its columns. */
  each?: Prisma.Sql;
  /** A condition that no index serves: each page checks a limited number of rows. */
  checked?: Prisma.Sql;
  /**
   * A column that `where` requires to be null, if it stands before the order in the index. PostgreSQL finds the rows in
   * the index's order only if they are ordered by this column too.
   */
  nullColumn?: Prisma.Sql;
  /** Newest first if absent. */
  order?: Order<M>;
  /** Selects the same rows for an order with parts, if its indexes do not serve `where`. */
  inParts?: Pick<Selection<M>, "where" | "each" | "checked">;
}

/** The order of a list: an expression that is never null, and the same value of a row. Rows of one value follow their ids. */
export interface Order<M extends Model> {
  expression: Prisma.Sql;
  type: "time" | "boolean";
  descending: boolean;
  valueOf(row: Row<M>): Date | boolean;
  /** Parts of the rows, each with an index in this order; `expression` is that of the list for the rows of the part. */
  parts?: readonly { condition: Prisma.Sql; expression: Prisma.Sql }[];
}

/** True if `id` has the form of the model's ids, so that a query with it cannot fail. */
export function isValidId(model: Model, id: string | number): boolean {
  if (idTypeOf(model) === "uuid") return isUuid(id);
  return /^[1-9]\d{0,9}$/.test(String(id)) && Number(id) <= 2_147_483_647;
}

export function table(model: Model): Prisma.Sql {
  return Prisma.raw(`"${tableOf(model)}"`);
}

export function column(field: string): Prisma.Sql {
  return Prisma.raw(`"${columnOf(field)}"`);
}

/** The column that refers to a resource of a type. */
export function referenceTo(type: ResourceType): Prisma.Sql {
  return Prisma.raw(`"${type}_id"`);
}

/** The rows of a statement that begins with `SELECT *` from the model's table. */
export async function fetchRows<M extends Model>(db: Db | Tx, _model: M, statement: Prisma.Sql): Promise<Row<M>[]> {
  const rows = await db.$queryRaw<Record<string, unknown>[]>(statement);
  return rows.map((row) => asRow<M>(row));
}

/** As `fetchRows`, for few rows that the statement finds by their keys. */
export async function fetchByKey<M extends Model>(db: Db | Tx, _model: M, statement: Prisma.Sql): Promise<Row<M>[]> {
  const rows = await readByKey<Record<string, unknown>[]>(db, statement);
  return rows.map((row) => asRow<M>(row));
}

/** Selects rows by the values of fields: one value, any of several, or null. */
export function where<M extends Model>(
  model: M,
  fields: { [F in keyof Row<M>]?: Row<M>[F] | Row<M>[F][] },
): Selection<M> {
  const conditions = Object.entries(fields).map(([field, value]) => fieldCondition(field, value));
  const isOne = (value: unknown) => value !== null && !Array.isArray(value);
  return {
    model,
    where: conditions.length > 0 ? Prisma.join(conditions, " AND ") : Prisma.sql`TRUE`,
    within: Object.entries(fields).flatMap(([field, value]) => (isOne(value) ? columnOf(field) : [])),
  };
}

export function fieldCondition(field: string, value: unknown): Prisma.Sql {
  if (value === null) return Prisma.sql`${column(field)} IS NULL`;
  return Array.isArray(value)
    ? Prisma.sql`${column(field)} = ANY(${value})`
    : Prisma.sql`${column(field)} = ${value as string}`;
}

type Fields<Wire> = { [Name in keyof Wire as CamelCase<Name> & string]: Exclude<Wire[Name], undefined> };

/** Wire values under the names of the model's fields, which differ only in case. Undefined values are dropped. */
export function asFields<Wire extends object>(wire: Wire): Fields<Wire> {
  const values = Object.entries(wire).filter(([, value]) => value !== undefined);
  return Object.fromEntries(values.map(([name, value]) => [fieldOf(name), value])) as Fields<Wire>;
}

// Columns are their model's fields in snake_case; a test of the schema ensures it.
function asRow<M extends Model>(columns: Record<string, unknown>): Row<M> {
  const row: Record<string, unknown> = {};
  for (const name in columns) row[fieldOf(name)] = columns[name];
  return row as Row<M>;
}
