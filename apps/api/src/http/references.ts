import { z } from "zod";

const INTEGER = /^[1-9]\d{0,15}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The integer id of a record that a body names: as a number, as text, or as the URL that the API gave.
 *
 * @param collection the path of the records' collection, such as `servers`
 */
export function integerId(collection: string) {
  return z.union([z.int().min(1), text(collection)]).transform((value, context) => {
    const id = Number(idIn(collection, String(value), INTEGER));
    if (Number.isSafeInteger(id)) return id;
    context.addIssue({ code: "custom", message: messageOf(collection, "an integer") });
    return z.NEVER;
  });
}

/**
 * The UUID of a record that a body names: as it is, or as the URL that the API gave.
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
    .meta({ format: "id", description: `The id of one of \`${collection}\`, or its URL` });
}

/** The id in a text, or at the end of a URL below the collection, whatever the address of the API. */
function idIn(collection: string, value: string, form: RegExp): string | undefined {
  const isUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  const segments = isUrl ? new URL(value).pathname.split("/") : [collection, value];
  const [parent, id = ""] = segments.slice(-2);
  return parent === collection && form.test(id) ? id : undefined;
}

function messageOf(collection: string, form: string): string {
  return `must be ${form}, or the URL of one of ${collection}`;
}
