import { CommandError, EXIT } from "./exit-codes.js";
import type { Session } from "./session.js";
import { columnsFor, recordLines, tableOf, textOf } from "./table.js";

export type Rows = readonly Record<string, unknown>[];

/** What a command has to show: its one document for `--json`, and what of it people read. */
export interface Result {
  document: unknown;
  rows?: Rows;
  record?: Record<string, unknown>;
  columns?: readonly string[] | undefined;
  /** Shown instead of an empty table. */
  empty?: string;
}

/** Writes a result to standard output in the format that was asked for. */
export async function print(
  { options, terminal }: Session,
  { document, rows, record, columns = [], empty }: Result,
): Promise<void> {
  const format = options.json ? "json" : (options.output ?? "table");
  const { out, err } = terminal;
  const width = out.isTTY ? out.columns : undefined;
  if (format === "json") out.write(`${JSON.stringify(document, null, 2)}\n`);
  else if (format === "yaml") out.write((await import("yaml")).stringify(document));
  else if (format === "name" || options.quiet) {
    for (const row of rows ?? (record ? [record] : []))
      out.write(`${textOf(row.name && format === "name" ? row.name : row.id)}\n`);
  } else if (rows) {
    if (rows.length === 0 && empty) err.write(`${empty}\n`);
    const asked = columnsAsked(options.columns, rows);
    const names = columnsFor(columns, rows, { wide: format === "wide", asked });
    if (rows.length > 0) out.write(`${tableOf(rows, names, width).join("\n")}\n`);
  } else if (record) {
    const asked = columnsAsked(options.columns, [record]);
    const shown = asked ? Object.fromEntries(asked.map((name) => [name, record[name]])) : record;
    out.write(`${recordLines(shown, width).join("\n")}\n`);
  } else if (typeof document === "string") out.write(document.endsWith("\n") ? document : `${document}\n`);
}

function columnsAsked(text: string | undefined, rows: Rows): string[] | undefined {
  const names = text?.split(",").map((name) => name.trim().replaceAll("-", "_"));
  const [first] = rows;
  const unknown = first && names?.find((name) => !(name in first));
  if (first && unknown) {
    throw new CommandError(`there is no column ${unknown}`, EXIT.wrongUse, [
      `columns: ${Object.keys(first).join(", ")}`,
    ]);
  }
  return names;
}
