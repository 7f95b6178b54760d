import type { Prisma } from "./generated/client.js";

/** A model of the schema, named as the client names it. */
export type Model = Uncapitalize<Prisma.ModelName>;

type Description<M extends Model> = Prisma.TypeMap["model"][Capitalize<M>];

/** A row of a model's table. */
export type Row<M extends Model> = Description<M>["payload"]["scalars"];

/** The data of a new row; a field that has a default may be absent. */
export type NewRow<M extends Model> = Exclude<
  Description<M>["operations"]["createMany"]["args"]["data"],
  readonly unknown[]
>;

/** The records that a row refers to or that refer to it, by the names of the schema's relations. */
export type Relations<M extends Model> = Description<M>["payload"]["objects"];

/** A name in snake_case: the form of columns and resource types. */
export type SnakeCase<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : Name;

/** A name in camelCase: the form of models and their fields. */
export type CamelCase<Name> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** A column of a model's table. */
export type Column<M extends Model> = SnakeCase<keyof Row<M>>;

/** The table of a model: its name in snake_case and the plural. */
export type Table<M extends Model = Model> = M extends Model
  ? SnakeCase<M> extends `${infer Stem}ry`
    ? `${Stem}ries`
    : `${SnakeCase<M>}${M extends `${string}s` ? "es" : "s"}`
  : never;

/** The table of a model. */
export function tableOf(model: Model): Table {
  if (model.endsWith("ry")) return columnOf(model).replace(/y$/, "ies") as Table;
  return `${columnOf(model)}${model.endsWith("s") ? "es" : "s"}` as Table;
}

/** The column of a field: its name in snake_case. */
export const columnOf = remembered((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The field of a column: its name in camelCase. */
export const fieldOf = remembered((column) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));

/** A conversion of the schema's few names, which each row needs. */
function remembered(convert: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    if (!known.has(name)) known.set(name, convert(name));
    return known.get(name) as string;
  };
}
