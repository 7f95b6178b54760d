/** A record's id, the record, or its URL. */
export type Id = string | number | URL | { readonly id: string | number };

/**
 * The text of an id for a path.
 *
 * @param name the parameter, for the error
 * @throws TypeError if there is none
 */
export function idOf(id: unknown, name = "id"): string {
  if (typeof id === "number" || typeof id === "string" || id instanceof URL) {
    const last = String(id)
      .replace(/[?#].*$/, "")
      .split("/")
      .at(-1);
    if (last) return encodeURIComponent(last);
  } else if (typeof id === "object" && id !== null && "id" in id) return idOf(id.id, name);
  throw new TypeError(`${name}: expected an id, a record or its URL`);
}
