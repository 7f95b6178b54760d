import { z } from "zod";
import { type Detail, HttpError, invalid } from "../errors/errors.js";
import { queryProblem } from "./query-problem.js";
import { isVerbatim } from "./verbatim.js";

/** A schema of an object that refuses unknown keys. */
export const strict = z.strictObject;

/** A secret: the audit never holds it, and the API's description marks it as write-only. */
export function secretText({ min = 0, max }: { min?: number; max: number }) {
  return z.string().min(min).max(max).meta({ writeOnly: true });
}

/** A boolean in a query; false if absent. */
export const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");

/** `2026-11-22 19:02:37 +0000`, as Ruby writes times. */
const RUBY_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d):?(\d\d)$/;

// A `+` that is not escaped is a blank in a query.
const BLANK_FOR_PLUS = /(?<=:\d\d(\.\d+)? ?) (?=\d\d:?\d\d$)/;

/** A time, ISO 8601 with an offset or as Ruby writes it, in a year that PostgreSQL supports; parsed to UTC. */
export const instant = z
  .string()
  .overwrite((text) => text.replace(BLANK_FOR_PLUS, "+").replace(RUBY_TIME, "$1T$2$3:$4"))
  .check(z.iso.datetime({ offset: true, abort: true }))
  .refine((text) => Math.abs(new Date(text).getUTCFullYear() - 5000) < 5000, "must be a time in the years 1 to 9999")
  .transform((text) => new Date(text).toISOString())
  .meta({ examples: ["2026-11-24T09:00:00+00:00"] });

const MAX_DEPTH = 20;

/**
 * Parses the body or the query of an input against its schema.
 *
 * @throws 422 that names missing, unknown and wrong values
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: "body" | "query" = "body",
): z.output<Schema> {
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw new HttpError(422, "too_deep", [`the body is nested deeper than ${MAX_DEPTH} levels`]);
  }
  const unstorable = pathOfUnstorable(value);
  if (unstorable) throw invalid(pathIn(place, unstorable), "contains a character that is not allowed in text");
  const input = prepared(schema, value);
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw refusal(parsed.error.issues, input, place);
}

/** A parameter of a query is a list only for the schema: its caller knows only its name. */
function pathIn(place: "body" | "query", path: readonly PropertyKey[]): string {
  return (place === "query" ? path.slice(0, 1) : path).join(".");
}

function refusal(issues: z.core.$ZodIssue[], input: unknown, place: "body" | "query"): HttpError {
  const details: Detail[] = [];
  const sentences: string[] = [];
  const unpermitted: string[] = [];
  let missing: string | undefined;
  for (const issue of issues) {
    const path = pathIn(place, issue.path);
    const value = valueAt(input, issue.path);
    if (issue.code === "unrecognized_keys") {
      unpermitted.push(...issue.keys.map((key) => [...issue.path, key].join(".")));
    } else if (value == null) {
      missing ??= path;
      const message = `param is missing or the value is empty: ${path}`;
      sentences.push(message);
      details.push({ path, message });
    } else {
      const message = place === "query" ? queryProblem(issue, value) : issue.message;
      sentences.push(path ? `${path}: ${message}` : message);
      details.push({ path, message });
    }
  }
  if (unpermitted.length > 0) {
    sentences.push(`found unpermitted parameters: ${unpermitted.join(", ")}`);
    details.push(...unpermitted.map((path) => ({ path, message: "is not a parameter" })));
  }
  const code = missing ? "missing" : unpermitted.length > 0 ? "unpermitted" : "invalid";
  return new HttpError(422, code, sentences, {
    details,
    ...(missing && { missing }),
    ...(unpermitted.length > 0 && { unpermitted }),
  });
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  // A schema may read a text as the only item of a list.
  const child = (at: unknown, key: PropertyKey) =>
    typeof at === "string" ? at : (at as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return path.reduce<unknown>(child, value);
}

/**
 * Drops nulls of optional parameters, at every depth: null means absence, unless it is one of the parameter's values.
 * Texts become NFC, so that names and searches which look alike are alike, unless their bytes matter.
 */
function prepared(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (typeof value === "string") return isVerbatim(schema) ? value : value.normalize("NFC");
  if (inner instanceof z.ZodRecord && isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key.normalize("NFC"), prepared(inner.valueType as z.ZodType, each)]),
    );
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.map((each) => prepared(inner.element as z.ZodType, each));
  const object = objectIn(inner, value);
  if (!object || !isRecord(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const field = schemaOfField(object, key);
    if (!field) return [[key, inner]];
    if (inner === null && field.isOptional() && !field.isNullable()) return [];
    return [[key, prepared(field, inner)]];
  });
  return Object.fromEntries(entries);
}

/** The object that a schema describes, behind its wrappers; for a union, the variant that the value names. */
export function objectIn(schema: z.ZodType, value: unknown): z.ZodObject | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) return inner;
  if (!(inner instanceof z.ZodDiscriminatedUnion) || !isRecord(value)) return undefined;
  const { discriminator } = inner.def;
  const variants = (inner.options as z.ZodType[]).filter((each) => each instanceof z.ZodObject);
  return variants.find((each) => schemaOfField(each, discriminator)?.safeParse(value[discriminator]).success);
}

/** The schema of an object's field, if it has it. */
export function schemaOfField({ shape }: z.ZodObject, name: string): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

/** A schema without what makes it optional, nullable or transformed, before or after it. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodNullable;
  if (schema instanceof z.ZodPipe)
    return unwrapped((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType);
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/** True for a JSON object, which is neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a text that cannot be stored: PostgreSQL accepts no NUL, and UTF-8 no half of a surrogate pair. */
export function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

/** The path of the first text in a value that cannot be stored, keys included. */
function pathOfUnstorable(value: unknown): string[] | undefined {
  if (typeof value === "string") return isUnstorable(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (isUnstorable(key)) return [];
    const path = pathOfUnstorable(inner);
    if (path) return [key, ...path];
  }
  return undefined;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
