import stringWidth from "string-width";

/** The fields that people look for, in the order of columns. Others follow with `-o wide`. */
const FIRST = [
  "id",
  "name",
  "type",
  "kind",
  "state",
  "stage",
  "role",
  "flavor",
  "engine",
  "version",
  "cidr",
  "source",
  "port_range",
  "ip_address",
  "location",
  "region",
  "size",
  "email",
  "severity",
  "url",
  "percent",
  "provisioned_id",
  "created_at",
  "message",
];
/** The columns of lists whose records do not begin with these. */
const FIRST_OF: Record<string, readonly string[]> = {
  audit_records: ["created_at", "user", "action", "subject", "status"],
};
/** So many columns are all shown. */
const FEW = 5;
const GAP = "  ";

/** The columns of a table of records: those that were asked for, the usual ones, or all that are short. */
export function columnsFor(
  known: readonly string[],
  rows: readonly Record<string, unknown>[],
  { wide = false, asked, list = "" }: { wide?: boolean; asked?: readonly string[] | undefined; list?: string },
): string[] {
  if (asked) return [...asked];
  const own = FIRST_OF[list];
  if (own) return wide ? [...own, ...known.filter((name) => !own.includes(name))] : [...own];
  const usual = FIRST.filter((name) => known.includes(name));
  const isShort = known.length <= FEW;
  if (isShort) return [...known];
  const ordered = wide || usual.length === 0 ? [...usual, ...known.filter((name) => !usual.includes(name))] : usual;
  // A column without any value says nothing.
  const filled = ordered.filter((name) => rows.some((row) => textOf(row[name]) !== ""));
  return filled.length > 0 ? filled : ordered;
}

/** Lines of a table that are no wider than `width`: the last columns are left out, then the last one is cut. */
export function tableOf(
  rows: readonly Record<string, unknown>[],
  columns: readonly string[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const cells = [
    columns.map((name) => name.toUpperCase().replaceAll("_", " ")),
    ...rows.map((row) => columns.map((name) => textOf(row[name]))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => stringWidth(line[index] ?? ""))));
  let used = 0;
  const shown = columns.filter((_, index) => {
    used += (widths[index] ?? 0) + GAP.length;
    return index === 0 || used - GAP.length <= width;
  }).length;
  return cells.map((line) =>
    fit(
      line
        .slice(0, shown)
        .map((cell, index) => (index === shown - 1 ? cell : pad(cell, widths[index] ?? 0)))
        .join(GAP),
      width,
    ),
  );
}

/** Lines `name  value` of one record. */
export function recordLines(record: Record<string, unknown>, width = Number.POSITIVE_INFINITY): string[] {
  const names = Object.keys(record);
  const longest = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => fit(`${pad(name, longest)}${GAP}${textOf(record[name])}`.trimEnd(), width));
}

/** A value in one line. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value).replace(/\s+/g, " ");
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  const { id, name, type } = value as { id?: unknown; name?: unknown; type?: unknown };
  // A reference to a record of any type.
  if (name === undefined && typeof type === "string" && id !== undefined) return `${type}/${id}`;
  return textOf(name ?? id ?? JSON.stringify(value));
}

/** A line cut to a width, with an ellipsis. */
export function fit(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
