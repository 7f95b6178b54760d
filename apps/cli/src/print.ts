import { CommandError, EXIT } from "./exit-codes.js";
import { scopedFields, secretFields } from "./generated/secret-fields.js";
import { singular } from "./names.js";
import type { Session } from "./session.js";
import { columnsFor, recordLines, tableOf, textOf } from "./table.js";

/** A URL of the API with the last part of its path. */
const LINK = /^https?:\/\/[^/]+\/(?:[\w-]+\/)*?(?:([\w-]+)\/)?([\w-]+)(\?.*)?$/;
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
  /** True for a table whose lines may be longer than the window, because the last columns say the most. */
  isWhole?: boolean;
  /** How to connect to what the record describes. */
  connection?: Record<string, unknown> | undefined;
  /** True if the caller may not read the secrets of the record. */
  lacksSecrets?: boolean;
  /** Shown instead of an empty table. */
  empty?: string;
  /** True if the command has changed something: then a wrong column must not hide what it made, such as a token. */
  isChange?: boolean;
}

/** Writes a result to standard output in the format that was asked for. */
export async function print(
  { options, terminal }: Session,
  { document, rows, record, columns = [], isSecret = false, isWhole = false, ...result }: Result,
): Promise<void> {
  const { connection, lacksSecrets, empty, isChange = false } = result;
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
    const names = columnsFor(columns, rows, { wide: format === "wide", asked, list: listOf(document) });
    if (rows.length > 0) out.write(`${tableOf(rows.map(withIds), names, isWhole ? undefined : width).join("\n")}\n`);
  } else if (record) {
    const asked = columnsAsked(options.columns, [record], isChange ? err : undefined);
    const whole = asked ? Object.fromEntries(asked.map((name) => [name, record[name]])) : record;
    const shown =
      asked || isSecret
        ? whole
        : hidden(format === "wide" ? whole : telling(record), lacksSecrets ? unread(record) : []);
    const lines = recordLines(shown, width);
    if (connection && !asked) lines.push("", "Connect", ...recordLines(connection).map((line) => `  ${line}`));
    out.write(lines.map((line) => `${line}\n`).join(""));
  } else if (typeof document === "string") out.write(document.endsWith("\n") ? document : `${document}\n`);
}

/** The fields that say something: no empty ones, and no links to lists. Records that others name have their ids. */
function telling(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0)) return [];
      if (typeof value !== "string" || !LINK.test(value)) return [[name, value]];
      const id = linkedId(name, value);
      return id === undefined ? [] : [[name, id]];
    }),
  );
}

/** Whether a command answers programs. */
export function isForMachines({ options }: Session): boolean {
  return options.json === true || options.output === "json" || options.output === "yaml";
}

/** The names of secrets of a record that could not be read, because a scope is missing or there are none. */
export function unread(record: Record<string, unknown>): string[] {
  return scopedFields.filter((name) => record[name] === null);
}

/** Secrets are shown to who asks for them, by their names or as a document. */
function hidden(record: Record<string, unknown>, missing: string[]): Record<string, unknown> {
  const shown = Object.entries(record).map(([name, value]) => [
    name,
    secretFields.includes(name) && value ? `(hidden; --columns ${name} shows it)` : value,
  ]);
  return Object.fromEntries([...shown, ...missing.map((name) => [name, "(needs a token of gantry login --secrets)"])]);
}

/** Links to records as the ids of these. */
function withIds(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, (typeof value === "string" && linkedId(name, value)) || value]),
  );
}

/** The id of the record that a link names, with its type if the field does not say it. */
function linkedId(field: string, link: string): string | undefined {
  const [, collection = "", id = "", query] = LINK.exec(link) ?? [];
  if (query || !IS_ID.test(id)) return undefined;
  const type = singular(collection.replaceAll("_", "-")).replaceAll(" ", "_");
  return field.includes(type) ? id : `${type}/${id}`;
}

/** The key of a document that is a list, such as `networks`. */
function listOf(document: unknown): string {
  return Object.entries(document as object).find(([, value]) => Array.isArray(value))?.[0] ?? "";
}

/** @param notes where a wrong column is only named, and all are shown; absent if it is refused */
function columnsAsked(text: string | undefined, rows: Rows, notes?: NodeJS.WritableStream): string[] | undefined {
  const names = text?.split(",").map((name) => name.trim().replaceAll("-", "_"));
  const [first] = rows;
  const unknown = first && names?.find((name) => !(name in first));
  if (!first || !unknown) return names;
  const hint = `columns: ${Object.keys(first).join(", ")}`;
  if (!notes) throw new CommandError(`there is no column ${unknown}`, EXIT.wrongUse, [hint]);
  notes.write(`There is no column ${unknown}; all are shown\n  ${hint}\n`);
  return undefined;
}
