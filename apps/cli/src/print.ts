import { CommandError, EXIT } from "./exit-codes.js";
import { secretFields } from "./generated/secret-fields.js";
import type { Session } from "./session.js";
import { columnsFor, recordLines, tableOf, textOf } from "./table.js";

/** A URL of the API with the last part of its path. */
const LINK = /^https?:\/\/[^/]+\/(?:[\w-]+\/)*([\w-]+)(?:\?.*)?$/;
const IS_ID = /^(\d+|[\da-f]{8}-[\da-f-]{27})$/;

export type Rows = readonly Record<string, unknown>[];

/** What a command has to show: its one document for `--json`, and what of it people read. */
export interface Result {
  document: unknown;
  rows?: Rows;
  record?: Record<string, unknown>;
  columns?: readonly string[] | undefined;
  /** True if the secrets of the record are what was asked for, and shown only once. */
  isSecret?: boolean;
  /** Shown instead of an empty table. */
  empty?: string;
}

/** Writes a result to standard output in the format that was asked for. */
export async function print(
  { options, terminal }: Session,
  { document, rows, record, columns = [], isSecret = false, empty }: Result,
): Promise<void> {
  const format = options.json ? "json" : (options.output ?? "table");
  const { out, err } = terminal;
  const width = out.isTTY ? out.columns : undefined;
  if (format === "json") out.write(`${JSON.stringify(document, null, 2)}\n`);
  else if (format === "yaml") out.write((await import("yaml")).default.stringify(document));
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
    const whole = asked ? Object.fromEntries(asked.map((name) => [name, record[name]])) : record;
    const shown = asked || isSecret ? whole : hidden(format === "wide" ? whole : telling(record));
    out.write(
      recordLines(shown, width)
        .map((line) => `${line}\n`)
        .join(""),
    );
  } else if (typeof document === "string") out.write(document.endsWith("\n") ? document : `${document}\n`);
}

/** The fields that say something: no empty ones, and no links to lists. Records that others name have their ids. */
function telling(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)) return [];
      const link = typeof value === "string" ? LINK.exec(value) : null;
      if (!link) return [[name, value]];
      return IS_ID.test(link[1] ?? "") && !value?.toString().includes("?") ? [[name, link[1]]] : [];
    }),
  );
}

/** Secrets are shown to who asks for them, by their names or as a document. */
function hidden(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      secretFields.includes(name) && value ? "(hidden; see --columns)" : value,
    ]),
  );
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
