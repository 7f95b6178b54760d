import { type Model, Prisma, plannedForValues, type Table } from "@gantry/db";
import { EXAMPLE_UUID, field, linkOf } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../auth/caller.js";
import { instant } from "../input/input.js";
import { isValidId } from "../rows/rows.js";

/** A filter of a list: the form of one value, and the condition that several values make. */
export interface Filter {
  value: z.ZodType;
  /** The column that it compares, if that has another name than the filter. */
  columnName?: string;
  /** @param values alternatives; null for a bare filter, which selects rows without a value */
  condition(values: unknown[] | null, name: string, caller: Caller): Prisma.Sql | Promise<Prisma.Sql>;
  /**
   * True if an index serves the condition in the list's order, or if few rows match it; or the index of its values. A
   * function returns another condition that an index serves, and that every row which matches `condition` also matches.
   */
  indexed?: true | ValueIndex | ((values: unknown[] | null) => Prisma.Sql | undefined);
}

export type Filters = Readonly<Record<string, Filter>>;

/** Equality with the column of the filter's name, or with `columnName`. */
export function equals(value: z.ZodType, columnName?: string): Filter {
  return {
    value,
    ...(columnName && { columnName }),
    condition: (values, name) => anyOf(columnName ?? name, values),
  };
}

export const text = equals(z.string());

/** A filter whose condition an index serves. */
export function indexed(filter: Filter): Filter {
  return { ...filter, indexed: true };
}

/** An index that has the rows of each value of a column in the list's order. */
export interface ValueIndex {
  /** The column before it in the index: a list that selects one value of that one can use it. */
  within: string;
  /** Absent if the index has the rows of every value, and of null. */
  values?: readonly unknown[];
}

/** A filter with an index of its values, in each account or `within` the values of another column. */
export function indexedByValue(filter: Filter, index: ValueIndex = { within: "account_id" }): Filter {
  return { ...filter, indexed: index };
}

/** A part of a text, regardless of case. */
export function contains(columnName: string, what: string): Filter {
  return {
    value: field(z.string().min(1).max(100), "shop", `Part of ${what}; case does not matter`),
    condition: (parts) => {
      if (parts === null) return Prisma.sql`FALSE`;
      const column = Prisma.raw(`"${columnName}"`);
      return anyPart(
        parts as string[],
        (part) => Prisma.sql`position(lower(${part}) in lower(normalize(${column}))) > 0`,
      );
    },
  };
}

/** Alternatives, one for each part. */
export function anyPart(parts: readonly string[], matches: (part: string) => Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(${Prisma.join(parts.map(matches), " OR ")})`;
}

/** Equality with an integer column. */
export function integer(columnName?: string): Filter {
  return equals(z.coerce.number().int().min(1).max(2_147_483_647), columnName);
}

/** Equality with a time in whole seconds, as records show it. */
export const timestampFilter: Filter = {
  value: instant,
  condition: (values, name) => {
    if (values === null) return anyOf(name, null);
    return Prisma.sql`date_trunc('second', ${Prisma.raw(`"${name}"`)}) = ANY(${values}::timestamptz[])`;
  },
};

/** The type and the id of a record, such as `server/3`. */
export const subjectText = z
  .string()
  .max(100)
  .toLowerCase()
  .regex(/^[a-z_]+\/[\da-f-]+$/, "must be a record's type and id, such as server/3")
  .meta({ examples: ["server/3"] });

/** Rows that refer to a row of `model`; the caller must see that row. */
export function references(model: Parameters<Caller["find"]>[0], columnName = `${model}_id`): Filter {
  return {
    value: idText(model),
    columnName,
    ...(model === "account" && { indexed: true }),
    condition: async (ids, _name, caller) => {
      for (const id of ids ?? []) await caller.find(model, id as string);
      return anyOf(columnName, ids);
    },
  };
}

/** An id in a query. The search answers 404 to a malformed id. */
export function idText(model: Model): z.ZodType {
  const isNumber = isValidId(model, 1);
  return field(z.string(), isNumber ? "1" : EXAMPLE_UUID, isNumber ? "An integer id" : "A UUID");
}

export function anyOf(columnName: string, values: unknown[] | null): Prisma.Sql {
  const name = Prisma.raw(`"${columnName}"`);
  if (values === null) return Prisma.sql`${name} IS NULL`;
  // Only for a single value does the planner know that an index has its rows in order.
  return values.length === 1 ? Prisma.sql`${name} = ${values[0] as string}` : Prisma.sql`${name} = ANY(${values})`;
}

/**
 * The query parameters of a list's filters: each may repeat or be bare.
 *
 * @param fields the fields of the listed records; a filter without an example has that of the field of its name
 */
export function filterShape(filters: Filters, fields: z.ZodRawShape = {}): z.ZodRawShape {
  const listed = (value: z.ZodType) =>
    z
      .preprocess((input) => (typeof input === "string" ? [input] : input), z.array(value).max(100).nullable())
      .optional();
  return Object.fromEntries(
    Object.entries(filters).map(([name, { value }]) => [name, listed(withExampleOf(fields[name] as z.ZodType, value))]),
  );
}

function withExampleOf(shown: z.ZodType | undefined, value: z.ZodType): z.ZodType {
  if (value.meta()?.examples) return value;
  const [example] = (shown?.meta()?.examples ?? []) as unknown[];
  if (example === undefined || example === null) return value;
  // A filter takes the id of a record, to which the field links; a query is text.
  const text = String(example);
  const candidates = shown && linkOf(shown) ? [text.split("/").at(-1)] : [example, text];
  const accepted = candidates.find((each) => value.safeParse(each).success);
  return accepted === undefined ? value : field(value, accepted);
}

interface Conditions {
  indexed: Prisma.Sql[];
  /** A column that an indexed condition requires to be null, as `Selection` has it. */
  nullColumn?: Prisma.Sql;
  /** Those that no index serves. */
  checked: Prisma.Sql[];
}

/**
 * The conditions of a parsed query.
 *
 * @param within the columns of which the list selects one value each, as `Selection` has them
 */
export async function conditions(
  filters: Filters,
  query: Record<string, unknown>,
  caller: Caller,
  within: readonly string[] = [],
): Promise<Conditions> {
  const used = Object.entries(filters).filter(([name]) => query[name] !== undefined);
  // Only one: the rows that it has for one value are checked for the others, up to a limit.
  const chosen = used.find(
    ([name, { indexed }]) =>
      typeof indexed === "object" &&
      within.includes(indexed.within) &&
      hasOneOf(indexed, query[name] as unknown[] | null),
  );
  // Async, so that a condition that throws at once leaves no other's rejection without a handler, which ends the process.
  const found = await Promise.all(
    used.map(async ([name, filter]): Promise<Partial<Record<"indexed" | "checked", Prisma.Sql | undefined>>> => {
      const values = query[name] as unknown[] | null;
      const condition = await filter.condition(values, name, caller);
      if (name === chosen?.[0]) return { indexed: plannedForValues(condition) };
      if (filter.indexed === true) return { indexed: condition };
      return { indexed: typeof filter.indexed === "function" ? filter.indexed(values) : undefined, checked: condition };
    }),
  );
  const [name, filter] = chosen ?? [];
  return {
    indexed: found.flatMap(({ indexed = [] }) => indexed),
    checked: found.flatMap(({ checked = [] }) => checked),
    ...(name && filter && query[name] === null && { nullColumn: Prisma.raw(`"${filter.columnName ?? name}"`) }),
  };
}

function hasOneOf({ values }: ValueIndex, wanted: unknown[] | null): boolean {
  if (wanted === null) return values === undefined;
  return wanted.length === 1 && (values?.includes(wanted[0]) ?? true);
}

/** Rows whose parent, in `parentTable`, matches another filter. */
export function inParent(columnName: string, parentTable: Table, filter: Filter): Filter {
  return {
    value: filter.value,
    condition: async (values, name, caller) => {
      const condition = await filter.condition(values, name, caller);
      return Prisma.sql`${Prisma.raw(`"${columnName}"`)} IN (SELECT id FROM ${Prisma.raw(`"${parentTable}"`)} WHERE ${condition})`;
    },
  };
}
