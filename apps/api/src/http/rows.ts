import { columnOf, type Db, Prisma, type Tx } from "@gantry/db";

/** A kind of row, named as the schema's model is. */
export type Model = keyof Tx & Uncapitalize<Prisma.ModelName>;

export type Row<M extends Model> = Prisma.TypeMap["model"][Capitalize<M>]["payload"]["scalars"];

/** Rows of one kind that a list shows: a condition on their columns. */
export interface Selection<M extends Model> {
  model: M;
  where: Prisma.Sql;
}

const INTEGER_IDS: ReadonlySet<Model> = new Set<Model>([
  "address",
  "application",
  "environment",
  "firewall",
  "firewallRule",
  "keypair",
  "provider",
  "server",
  "snapshot",
  "volume",
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True where `id` has the form of this model's ids, so that the database can be asked for it. */
export function isValidId(model: Model, id: string | number): boolean {
  if (!INTEGER_IDS.has(model)) return UUID.test(String(id));
  return /^[1-9]\d{0,9}$/.test(String(id)) && Number(id) <= 2_147_483_647;
}

const tables = new Map<Model, Prisma.Sql>();

/** The table of a model: its name in snake_case and the plural. */
export function tableOf(model: Model): Prisma.Sql {
  let table = tables.get(model);
  if (!table) {
    table = Prisma.raw(`"${columnOf(model)}${model.endsWith("s") ? "es" : "s"}"`);
    tables.set(model, table);
  }
  return table;
}

export function column(field: string): Prisma.Sql {
  return Prisma.raw(`"${columnOf(field)}"`);
}

/** The rows of a statement that begins with `SELECT *` from the model's table. */
export async function fetchRows<M extends Model>(db: Db | Tx, _model: M, statement: Prisma.Sql): Promise<Row<M>[]> {
  const rows = await db.$queryRaw<Record<string, unknown>[]>(statement);
  return rows.map((row) => asRow<M>(row));
}

/** Selects rows by the values of their fields: equal to one, equal to any of several, or absent. */
export function where<M extends Model>(
  model: M,
  fields: { [F in keyof Row<M>]?: Row<M>[F] | Row<M>[F][] },
): Selection<M> {
  const conditions = Object.entries(fields).map(([field, value]) => fieldCondition(field, value));
  return { model, where: conditions.length > 0 ? Prisma.join(conditions, " AND ") : Prisma.sql`TRUE` };
}

export function fieldCondition(field: string, value: unknown): Prisma.Sql {
  if (value === null) return Prisma.sql`${column(field)} IS NULL`;
  return Array.isArray(value)
    ? Prisma.sql`${column(field)} = ANY(${value})`
    : Prisma.sql`${column(field)} = ${value as string}`;
}

const fieldNames = new Map<string, string>();

function fieldOf(columnName: string): string {
  let field = fieldNames.get(columnName);
  if (field === undefined) {
    field = columnName.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    fieldNames.set(columnName, field);
  }
  return field;
}

type Camel<Name> = Name extends `${infer Word}_${infer Rest}` ? `${Word}${Capitalize<Camel<Rest>>}` : Name;

type Fields<Wire> = { [Name in keyof Wire as Camel<Name> & string]: Exclude<Wire[Name], undefined> };

/** What a caller wrote, under the names that the model's fields have: they differ in their case alone. */
export function asFields<Wire extends object>(wire: Wire): Fields<Wire> {
  const given = Object.entries(wire).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [fieldOf(name), value])) as Fields<Wire>;
}

// The columns of a table are its model's fields in snake_case: a test of the schema holds it to that.
function asRow<M extends Model>(columns: Record<string, unknown>): Row<M> {
  const row: Record<string, unknown> = {};
  for (const name in columns) row[fieldOf(name)] = columns[name];
  return row as Row<M>;
}
