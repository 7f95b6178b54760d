import type { Db, Model, Row, Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";
import type { Order, Selection } from "../rows/rows.js";
import { decodeCursor, encodeCursor, LAST_PAGE, positionOf, type RowPosition } from "./page.cursor.js";
import { readAll, readChecked } from "./page.rows.js";
import { countRows, type Total } from "./page.total.js";
import { NEWEST_FIRST } from "./page.walk.js";

export const pageShape = {
  page: z.coerce.number().int().min(1).default(1).describe("The page number"),
  per_page: z.coerce.number().int().min(1).max(100).default(20).describe("Records per page"),
  cursor: field(
    z.string().max(200).optional(),
    "next",
    "Where the page starts; taken from a link in the header `Link`",
  ),
};

export interface PageQuery {
  page: number;
  per_page: number;
  cursor?: string;
}

export interface Page<R> {
  rows: R[];
  total: number;
  estimated: boolean;
  /** The pages around this one, as the query of their links names them. */
  links: { rel: "next" | "prev" | "last"; page: number; cursor?: string }[];
}

/**
 * Returns one page of a selection in its order. A page with a cursor costs the same at any depth. A page of a selection
 * with `checked` conditions has fewer records than its size, although others follow, if it has read `MAX_READ` rows.
 */
export async function fetchPage<M extends Model>(
  db: Db | Tx,
  selection: Selection<M>,
  query: PageQuery,
): Promise<Page<Row<M>>> {
  const order = selection.order ?? (NEWEST_FIRST as unknown as Order<M>);
  const { page, per_page: size } = query;
  const fromEnd = query.cursor === LAST_PAGE;
  const position = query.cursor && !fromEnd ? decodeCursor(selection.model, order, query.cursor) : undefined;
  const backwards = fromEnd || position?.toward === "prev";
  const walk = { ...selection, order, backwards, position };
  const range = { size, skipped: query.cursor ? 0 : (page - 1) * size };
  const [{ found, end }, total] = await Promise.all([
    walk.checked ? readChecked(db, { ...walk, checked: walk.checked }, range) : readAll(db, walk, range),
    countRows(db, { ...selection, order }),
  ]);
  const rows = found.slice(0, size);
  if (backwards) rows.reverse();
  const hasNext = !fromEnd && (backwards || found.length > size || end !== undefined);
  const positions = rows.map((row) => positionOf(order, row));
  return { rows, ...total, links: linksAround(positions, query, { hasNext, backwards, end, ...total }) };
}

/** One page of records that are not in the database. */
export function slicePage<R>(all: R[], { page, per_page: size }: PageQuery): Page<R> {
  const rows = all.slice((page - 1) * size, page * size);
  const links: Page<R>["links"] = [];
  if (page * size < all.length) links.push({ rel: "next", page: page + 1 });
  if (page > 1) links.push({ rel: "prev", page: page - 1 });
  links.push({ rel: "last", page: Math.max(1, Math.ceil(all.length / size)) });
  return { rows, total: all.length, estimated: false, links };
}

interface Around extends Total {
  hasNext: boolean;
  backwards: boolean;
  /** The row up to which the page has read, if it is not full and other rows follow. */
  end: RowPosition | undefined;
}

function linksAround(
  rows: RowPosition[],
  { page, per_page }: PageQuery,
  { hasNext, backwards, end, total, estimated }: Around,
): Page<never>["links"] {
  const links: Page<never>["links"] = [];
  const first = (backwards ? end : undefined) ?? rows[0] ?? end;
  const last = (backwards ? undefined : end) ?? rows.at(-1) ?? end;
  if (hasNext && last) links.push({ rel: "next", page: page + 1, cursor: encodeCursor("next", last) });
  const readsOn = backwards && end !== undefined;
  if (!readsOn && (page === 2 || (page > 1 && !first))) links.push({ rel: "prev", page: page - 1 });
  else if ((readsOn || page > 2) && first)
    links.push({ rel: "prev", page: Math.max(1, page - 1), cursor: encodeCursor("prev", first) });
  const lastPage = Math.max(1, Math.ceil(total / per_page));
  links.push({ rel: "last", page: lastPage, ...(estimated && { cursor: LAST_PAGE }) });
  return links;
}
