import type pg from "pg";
import { type Catalog, type Nullable, nullableColumns, readTree } from "./parse-tree.js";

/** A column of a statement's rows. */
export interface Column {
  name: string;
  /** The name of its type in PostgreSQL; an enum counts as `text`. */
  type: string;
  nullable: Nullable;
}

/** Returns a function that has PostgreSQL describe the rows of a statement, without running it. */
export async function statementDescriber(client: pg.Client): Promise<(text: string) => Promise<Column[]>> {
  const catalog = await readCatalog(client);
  const types = await readMap<string>(
    client,
    `SELECT t.oid AS key, CASE WHEN t.typtype = 'e' THEN 'text' WHEN e.typtype = 'e' THEN '_text' ELSE t.typname END AS value
    FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem`,
  );
  await client.query("SET debug_print_parse = on; SET debug_pretty_print = off; SET client_min_messages = log");
  let tree = "";
  client.on("notice", ({ message, detail }) => {
    if (message === "parse tree:") tree = detail ?? "";
  });
  return async (text) => {
    const fields = await describe(client, text);
    const nullable = fields.length > 0 ? nullableColumns(readTree(tree), catalog) : [];
    return fields.map(({ name, dataTypeID }, i) => ({
      name,
      type: types.get(String(dataTypeID)) ?? String(dataTypeID),
      nullable: nullable[i],
    }));
  };
}

/** Sends the messages of the driver's prepared statements, except those that run one. */
function describe(client: pg.Client, text: string): Promise<pg.FieldDef[]> {
  return new Promise((resolve, reject) => {
    let fields: pg.FieldDef[] = [];
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: "", text, types: [] }, true);
        connection.describe({ type: "S", name: "" }, true);
        connection.sync();
      },
      handleRowDescription: (message: { fields: pg.FieldDef[] }) => ({ fields } = message),
      handleError: reject,
      handleReadyForQuery: () => resolve(fields),
    } as unknown as pg.Submittable);
  });
}

async function readCatalog(client: pg.Client): Promise<Catalog> {
  return {
    // Prisma declares a list without NOT NULL and writes no null.
    nullable: await readMap(
      client,
      `SELECT attrelid || '.' || attnum AS key, NOT attnotnull AND attndims = 0 AS value
      FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relkind IN ('r', 'p')`,
    ),
    functions: await readMap(
      client,
      "SELECT oid AS key, json_build_object('name', proname, 'isStrict', proisstrict) AS value FROM pg_proc",
    ),
    operators: await readMap(client, "SELECT oid AS key, oprcode::oid::text AS value FROM pg_operator"),
  };
}

async function readMap<T>(client: pg.Client, sql: string): Promise<Map<string, T>> {
  const { rows } = await client.query<{ key: unknown; value: T }>(sql);
  return new Map(rows.map(({ key, value }) => [String(key), value]));
}
