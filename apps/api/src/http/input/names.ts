import { field } from "@gantry/resources";
import { z } from "zod";

// Control characters, ends of lines, and characters that are invisible or change the direction:
// Default_Ignorable_Code_Point of Unicode 16, and the empty pattern of Braille. Ranges instead of \p, which some
// readers of the document's patterns do not support.
const VISIBLE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each code point is refused by itself.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression refuses control characters.
  /^[^\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]*$/;
// Those that JSON Schema has no escape for.
const INVISIBLE = /[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const PROBLEM = "must be a single line without control or invisible characters";

/** A text of one line, of at most `max` characters, all of which are visible. Blanks around it are cut off. */
export function singleLine(max: number) {
  return z
    .string()
    .regex(VISIBLE, PROBLEM)
    .refine((text) => !INVISIBLE.test(text), PROBLEM)
    .trim()
    .min(1, "must not be empty")
    .max(max);
}

/** A text whose absence means something else: an empty one is a mistake and not absence. */
export function filled(max: number) {
  return z.string().regex(/\S/, "must not be empty; omit it instead").max(max);
}

/** The name of a record. */
export const nameText = field(singleLine(200), "shop");

/** The name of a server or a volume, which commands and files on the server accept too. */
export const machineName = field(
  z.string().regex(/^[\w.-]{1,64}$/, "must be 1 to 64 characters: letters, digits, `_`, `.` and `-`"),
  "app-1",
);
