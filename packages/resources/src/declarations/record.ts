import { type CamelCase, fieldOf, type Table } from "@gantry/db";
import { z } from "zod";
import { type Link, type ListLink, linkOf, type RecordLink } from "./links.js";
import { isoOrNull } from "./timestamps.js";

/** The wire record of a kind of rows, with its serializer. */
export interface WireRecord<Row, Shape extends z.ZodRawShape = z.ZodRawShape> {
  /** The name that wraps a single record. */
  name: string;
  /** The name that wraps a list. */
  plural: string;
  /** Lists hide a row that has a value in this column. */
  deleted?: keyof Row & string;
  /** The field of a sealed secret, which only a single record shows, to callers with the scope `secrets:read` and a role that allows changes. */
  secret?: { field: keyof Row & string; table: Table };
  record: z.ZodObject<Shape>;
  /** The fields as administrators of the row's account see them, if `serialize` hides a part. */
  forAdmins?(row: Row): Partial<z.input<z.ZodObject<Shape>>>;
  /**
   * @param secret the decrypted secret, or null if the caller may not read it or there is none
   * @param at the time to which words such as "3 hours ago" refer; now if absent
   */
  serialize(row: Row, link: Link, secret?: string | null, at?: Date): z.input<z.ZodObject<Shape>>;
}

type Declaration<Row, Shape extends z.ZodRawShape> = Omit<WireRecord<Row, Shape>, "serialize"> & {
  /**
   * The fields that are not simply a column. The others are copied: a value from the column of the field's name, a time as
   * text, a link from the id of the record or the list that it leads to.
   */
  computed(row: Row, link: Link, secret: string | null, at: Date | undefined): Computed<Row, Shape>;
};

/** Declares a wire record: its fields with their descriptions and examples, and how a row fills them. */
export function wireRecord<Row, Shape extends z.ZodRawShape>({
  computed,
  ...declaration
}: Declaration<Row, Shape>): WireRecord<Row, Shape> {
  const readers = Object.entries(declaration.record.shape).map(
    ([name, schema]) => [name, readerOf(name, schema as z.ZodType)] as const,
  );
  const serialize: WireRecord<Row, Shape>["serialize"] = (row, link, secret = null, at) => {
    const others: Record<string, unknown> = computed(row, link, secret, at);
    const record: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = name in others ? others[name] : read(row as Record<string, unknown>, link);
      if (value !== undefined) record[name] = value;
    }
    return record as z.input<z.ZodObject<Shape>>;
  };
  return { ...declaration, serialize };
}

function readerOf(name: string, schema: z.ZodType): (row: Record<string, unknown>, link: Link) => unknown {
  const leadsTo = linkOf(schema);
  const column = fieldOf(name);
  if (!leadsTo && isTime(schema)) return (row) => isoOrNull(row[column] as Date | null);
  if (!leadsTo) return (row) => row[column];
  const { collection, below } = leadsTo;
  if (below.length > 0) return ({ id }, link) => link(collection, id as string, ...below);
  return (row, link) => {
    const id = row[`${column}Id`] as string | null;
    return id === null ? null : link(collection, id);
  };
}

function isTime(schema: z.ZodType): boolean {
  return (schema instanceof z.ZodNullable ? schema.unwrap() : schema) instanceof z.ZodISODateTime;
}

/** What `computed` returns: the fields that cannot be copied, and any others. */
type Computed<Row, Shape extends z.ZodRawShape> = Partial<z.input<z.ZodObject<Shape>>> &
  Pick<z.input<z.ZodObject<Shape>>, NotCopied<Row, Shape>>;

type NotCopied<Row, Shape extends z.ZodRawShape> = {
  [Field in keyof Shape & string]: IsCopied<Row, Field, Shape[Field]> extends true ? never : Field;
}[keyof Shape & string] &
  keyof z.input<z.ZodObject<Shape>>;

/** True if the row has the value of the field, in a form that the schema accepts once times are text. */
type IsCopied<Row, Field extends string, Schema> =
  NonNull<Schema> extends ListLink
    ? "id" extends keyof Row
      ? true
      : false
    : NonNull<Schema> extends RecordLink
      ? Has<Row, `${CamelCase<Field>}Id`, null extends z.input<Schema & z.ZodType> ? unknown : NonNullable<unknown>>
      : Has<Row, CamelCase<Field>, z.input<Schema & z.ZodType>>;

type Has<Row, Column, Accepted> = Column extends keyof Row
  ? Wire<Row[Column]> extends Accepted
    ? true
    : false
  : false;

type NonNull<Schema> = Schema extends z.ZodNullable<infer Inner> ? Inner : Schema;

type Wire<Value> = Value extends Date ? string : Value;
