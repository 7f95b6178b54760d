import type { Prisma } from "@gantry/db";
import { maskUrl } from "@gantry/resources";
import { z } from "zod";
import { isRecord } from "../input/input.js";
import { isSecret } from "../input/verbatim.js";

const MAX_TEXT = 200;
const MAX_ITEMS = 20;
/** What stands for a hidden value. */
export const HIDDEN = "…";
const REST = /^\u2026 \d+ more$/;

/**
 * Returns of an input only what its schema describes and does not mark as write-only; everything else becomes `…`. URLs
 * keep only scheme and host, long texts and lists are shortened. Applied to its own result, it returns the same.
 */
export function shownInput(schema: z.ZodType | undefined, input: unknown): Prisma.InputJsonObject {
  return schema && isRecord(input) ? (shown(input, schemasIn(schema)) as Prisma.InputJsonObject) : {};
}

/** Shows a value that any of these schemas may describe, if none of them hides it. */
function shown(value: unknown, schemas: readonly z.ZodType[]): unknown {
  if (schemas.some(isSecret)) return HIDDEN;
  if (Array.isArray(value)) return shownItems(value, schemas);
  if (isRecord(value)) return shownProperties(value, schemas);
  if (!schemas.some((schema) => describes(schema, value))) return HIDDEN;
  if (typeof value !== "string") return value;
  const text = schemas.some(isUrl) ? maskUrl(value) : withoutUserinfo(value);
  return text.length > MAX_TEXT && !text.endsWith(HIDDEN) ? `${text.slice(0, MAX_TEXT)}${HIDDEN}` : text;
}

function shownItems(items: readonly unknown[], schemas: readonly z.ZodType[]): unknown {
  if (!schemas.some((schema) => schema instanceof z.ZodArray || schema instanceof z.ZodTuple)) return HIDDEN;
  const parts = items.slice(0, MAX_ITEMS).map((item, index) => shown(item, itemSchemas(schemas, index)));
  const last = items.at(-1);
  if (items.length === MAX_ITEMS + 1 && typeof last === "string" && REST.test(last)) return [...parts, last];
  return items.length > MAX_ITEMS ? [...parts, `… ${items.length - MAX_ITEMS} more`] : parts;
}

function shownProperties(value: Record<string, unknown>, schemas: readonly z.ZodType[]): unknown {
  const entries = Object.entries(value).map(([name, inner]) => [name, shown(inner, propertySchemas(schemas, name))]);
  return Object.fromEntries(entries);
}

function itemSchemas(schemas: readonly z.ZodType[], index: number): z.ZodType[] {
  return schemas.flatMap((schema) => {
    if (schema instanceof z.ZodArray) return schemasIn(schema.element as z.ZodType);
    if (!(schema instanceof z.ZodTuple)) return [];
    const item = schema.def.items[index] ?? schema.def.rest;
    return item ? schemasIn(item as z.ZodType) : [];
  });
}

function propertySchemas(schemas: readonly z.ZodType[], name: string): z.ZodType[] {
  return schemas.flatMap((schema) => {
    if (schema instanceof z.ZodRecord) return schemasIn(schema.valueType as z.ZodType);
    if (!(schema instanceof z.ZodObject)) return [];
    const property = Object.hasOwn(schema.shape, name) ? schema.shape[name] : schema.def.catchall;
    return property ? schemasIn(property as z.ZodType) : [];
  });
}

const known = new WeakMap<z.ZodType, readonly z.ZodType[]>();

/** A schema with everything that it wraps, refers to or chooses from: each of them may hide the value. */
function schemasIn(schema: z.ZodType): readonly z.ZodType[] {
  let schemas = known.get(schema);
  if (!schemas) {
    schemas = [...reachedFrom(schema, new Set())];
    known.set(schema, schemas);
  }
  return schemas;
}

function reachedFrom(schema: z.ZodType, reached: Set<z.ZodType>): Set<z.ZodType> {
  if (reached.has(schema)) return reached;
  reached.add(schema);
  for (const inner of partsOf(schema)) reachedFrom(inner as z.ZodType, reached);
  return reached;
}

/** The schemas that describe the same value as this one. */
function partsOf(schema: z.ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right];
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out];
  if (schema instanceof z.ZodLazy) return [schema.unwrap()];
  const { innerType } = schema.def as { innerType?: z.core.$ZodType };
  return innerType ? [innerType] : [];
}

/** True if the schema itself, and not one that it wraps, says that the value may be so. */
function describes(schema: z.ZodType, value: unknown): boolean {
  if (value === null) return ["null", "nullable", "optional"].includes(schema.def.type);
  if (schema instanceof z.ZodEnum) return schema.options.includes(value as string);
  if (schema instanceof z.ZodLiteral) return schema.values.has(value as string);
  if (schema instanceof z.ZodTemplateLiteral) return typeof value === "string";
  return schema.def.type === typeof value;
}

function isUrl(schema: z.ZodType): boolean {
  return "format" in schema && schema.format === "url";
}

/** The user and the password in the URLs of a text, such as a repository's. */
function withoutUserinfo(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, `$1${HIDDEN}@`);
}
