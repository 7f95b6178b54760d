import type { Tx } from "./client.js";
import { Prisma } from "./generated/client.js";
import { columnOf, type Model, type NewRow, type Row, type Table } from "./models.js";

type OrSql<Row> = { [Field in keyof Row]: Row[Field] | Prisma.Sql };
type NewRowByTable = { [M in Model as Table<M>]: OrSql<NewRow<M>> };

/** A table whose ids are integers. */
type NumberedTable = { [M in Model]: Row<M> extends { id: number } ? Table<M> : never }[Model];

/**
 * An INSERT as a fragment, for statements that write several tables in one round trip. All rows must have the same
 * fields. An undefined field gets its column's default; a value may be a fragment of SQL.
 */
export function insertInto<T extends keyof NewRowByTable>(
  table: T,
  ...rows: [NewRowByTable[T], ...NewRowByTable[T][]]
): Prisma.Sql {
  const fields = Object.entries(rows[0]).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const columns = fields.map((field) => Prisma.raw(`"${columnOf(field)}"`));
  const values = rows.map((row) => {
    const byField = row as Record<string, unknown>;
    return Prisma.sql`(${Prisma.join(fields.map((field) => Prisma.sql`${asParameter(byField[field])}`))})`;
  });
  return Prisma.sql`INSERT INTO ${Prisma.raw(`"${table}"`)} (${Prisma.join(columns)}) VALUES ${Prisma.join(values)}`;
}

// JSON is sent as text: PostgreSQL reads an untyped parameter as the column's type.
function asParameter(value: unknown): unknown {
  const isPlain =
    typeof value === "object" &&
    value !== null &&
    !(value instanceof Date || value instanceof Uint8Array || value instanceof Prisma.Sql);
  return isPlain ? JSON.stringify(value) : value;
}

/** The next ids of a table, for rows to which other rows of the same statement refer. */
export async function nextIds(db: Tx, table: NumberedTable, count: number): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: bigint }[]>`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count})`;
  return rows.map(({ id }) => Number(id));
}

/** The next id of a table. */
export async function nextId(db: Tx, table: NumberedTable): Promise<number> {
  const [id] = await nextIds(db, table, 1);
  return id as number;
}
