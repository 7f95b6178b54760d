import { secretFields } from "../generated/secret-fields.js";

/** Bytes of an answer, without the line that names its cursor. */
const MOST = 7_900;

/** The address of a part of a record, such as the stages of a Request. */
const PART = /^https?:\/\/[^/]+(?:\/[\w-]+){3}$/;

/** A record as text: fields without a value and links to its parts are left out, and secrets are hidden. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => {
    if (secretFields.includes(name) && member) return "hidden";
    return member === null || (typeof member === "string" && PART.test(member)) ? undefined : member;
  });
}

/** A part of a long text, with the cursor of the next part. */
export function partOf(text: string, cursor: string | undefined): string {
  const bytes = Buffer.from(text);
  const start = startOf(cursor);
  let end = Math.min(start + MOST, bytes.length);
  // No character may be cut in two.
  while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return withCursor(bytes.subarray(start, end).toString(), end < bytes.length ? String(end) : undefined);
}

/** Those of some lines that fit into an answer, from `start` on; `next` is the first that does not. */
export function linesThatFit(lines: readonly string[], start = 0): { text: string; next: number | undefined } {
  const fitting: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(start)) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MOST && fitting.length > 0) return { text: fitting.join("\n"), next: start + fitting.length };
    fitting.push(bytes > MOST ? partOf(line, undefined) : line);
  }
  return { text: fitting.join("\n"), next: undefined };
}

export function withCursor(text: string, cursor: string | undefined): string {
  return cursor === undefined ? text : `${text}\nMore: call again with cursor ${JSON.stringify(cursor)}`;
}

/** The place that a cursor of `partOf` names. */
export function startOf(cursor: string | undefined): number {
  const start = Number(cursor ?? 0);
  if (!Number.isSafeInteger(start) || start < 0) throw new RangeError(`${cursor} is not a cursor of this answer`);
  return start;
}
