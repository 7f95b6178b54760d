const WIDTH = 120;
/** The levels of the members that are read on their own: paths, operations and components. */
const SEPARATED_LEVELS = [2, 3];

/**
 * Returns a JSON document as text whose diffs can be read: a value that fits into a line has one, without blanks; the
 * members of any other value have separate lines. They are not indented, since blanks would be a quarter of the text.
 */
export function layout(document: object): string {
  const plain = JSON.parse(JSON.stringify(document)) as object;
  return `${lines("", plain, 0)}\n`;
}

function lines(key: string, value: unknown, level: number): string {
  const text = `${key}${JSON.stringify(value)}`;
  // The comma that may follow counts too.
  if (typeof value !== "object" || value === null || text.length < WIDTH) return text;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) =>
    lines(isList ? "" : `${JSON.stringify(name)}:`, member, level + 1),
  );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${SEPARATED_LEVELS.includes(level) ? "\n" : ""}${key}${open}\n${members.join(",\n")}\n${close}`;
}
