import { columnOf, tableOf } from "@gantry/db";
import { exampleId } from "@gantry/resources";
import { z } from "zod";
import { HttpError } from "../errors/errors.js";
import { isRecord, objectIn, schemaOfField, unwrapped } from "./input.js";

const INTEGER = /^[1-9]\d{0,15}$/;
/** The collections of whose records parameters take an id. */
export const collections = z.registry<{ collection: string }>();
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The integer id of a record that a body names: as a number, as text, or as the URL that the API returned.
 *
 * @param collection the path of the records' collection, such as `servers`
 */
export function integerId(collection: string) {
  const input = z.union([z.int().min(1), text(collection)]).register(collections, { collection });
  return input.transform((value, context) => {
    const id = Number(idIn(collection, String(value), INTEGER));
    if (Number.isSafeInteger(id)) return id;
    context.addIssue({ code: "custom", message: messageOf(collection, "an integer") });
    return z.NEVER;
  });
}

/**
 * The UUID of a record that a body names: as it is, or as the URL that the API returned.
 *
 * @param collection the path of the records' collection, such as `networks`
 */
export function uuidOf(collection: string) {
  return text(collection).transform((value, context) => {
    const id = idIn(collection, value, UUID);
    if (id !== undefined) return id.toLowerCase();
    context.addIssue({ code: "custom", message: messageOf(collection, "a UUID") });
    return z.NEVER;
  });
}

function text(collection: string) {
  return z
    .string()
    .max(500)
    .meta({
      format: "id",
      examples: [exampleId(collection)],
      description: `The id of one of \`${collection}\`, or its URL`,
    })
    .register(collections, { collection });
}

/** Returns the id that a number, a text or a URL names. */
export function lastSegment(value: unknown): string {
  return String(value).split("/").at(-1) ?? "";
}

/** The id in a text, or at the end of a URL below the collection, whatever the address of the API. */
function idIn(collection: string, value: string, form: RegExp): string | undefined {
  const isUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  const segments = isUrl ? new URL(value).pathname.split("/") : [collection, value];
  const [parent, id = ""] = segments.slice(-2);
  return parent === collection && form.test(id) ? id : undefined;
}

function messageOf(collection: string, form: string): string {
  return `must be ${form} or the URL of one of the ${collection}`;
}

interface Reference {
  path: string;
  collection: string;
  id: string;
}

/** The ids of records that a body holds in the parameters that accept them. */
function* referencesIn(schema: z.ZodType, value: unknown, path: string[] = []): Generator<Reference> {
  const inner = unwrapped(schema);
  const collection = collections.get(inner)?.collection;
  const object = objectIn(inner, value);
  if (collection) yield { path: path.join("."), collection, id: lastSegment(value) };
  else if (inner instanceof z.ZodArray && Array.isArray(value))
    for (const [i, each] of value.entries())
      yield* referencesIn(inner.element as z.ZodType, each, [...path, String(i)]);
  else if (object && isRecord(value))
    for (const [name, each] of Object.entries(value)) {
      const field = schemaOfField(object, name);
      if (field) yield* referencesIn(field, each, [...path, name]);
    }
}

/** The error, with the path of the body's parameter that names the record which it is about. */
export function withParameter(
  error: unknown,
  { params, schema, body }: { params: Record<string, unknown>; schema: z.ZodType; body: unknown },
): unknown {
  if (!(error instanceof HttpError) || !error.extras.about) return error;
  const { model, id } = error.extras.about;
  const isSame = (other: unknown) => String(other).toLowerCase() === String(id).toLowerCase();
  if (isSame(params[columnOf(model)])) return error;
  const reference = [...referencesIn(schema, body)].find(
    (each) => each.collection.replaceAll("-", "_") === tableOf(model) && isSame(each.id),
  );
  if (!reference) return error;
  const { status, code, sentences, extras } = error;
  const [sentence = ""] = sentences;
  const details = [{ path: reference.path, message: sentence }];
  return new HttpError(status, code, status === 404 ? [`${reference.path}: ${sentence}`] : sentences, {
    ...extras,
    details,
  });
}
