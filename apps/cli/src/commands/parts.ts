import { isObject } from "../input.js";
import { isForMachines, print, type Rows } from "../print.js";
import type { Session } from "../session.js";
import { textOf } from "../table.js";

const MOST_COLUMNS = 5;

/** Shows an answer that is no record but holds a list: its other values, then the list as a table. Returns false for others. */
export async function showParts(
  session: Session,
  document: unknown,
  record: Record<string, unknown>,
): Promise<boolean> {
  const [name, list] = Object.entries(record).find(([, value]) => Array.isArray(value) && value.some(isObject)) ?? [];
  if (!name || "id" in record || isForMachines(session)) return false;
  const { [name]: _, ...others } = record;
  const lines = Object.entries(others).flatMap(([key, value]): [string, unknown][] =>
    isObject(value) ? Object.entries(value).map(([inner, each]) => [`${key} ${inner}`, textOf(each)]) : [[key, value]],
  );
  const { columns, quiet, output } = session.options;
  if (columns === undefined && !quiet && output !== "name") {
    await print(session, { document, record: Object.fromEntries(lines) });
    session.terminal.out.write("\n");
  }
  const rows = list as Rows;
  const names = Object.keys(rows[0] ?? {}).filter((key) => key !== "id");
  await print(session, { document, rows, columns: names.slice(0, MOST_COLUMNS) });
  return true;
}
