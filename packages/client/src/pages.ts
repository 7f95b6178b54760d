import type { Call, Reply, Transport } from "./transport.js";

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** The number of records on all pages; estimated if there are very many. */
  total: number | undefined;
  isTotalEstimated: boolean;
  /** The cursor of the next page, or its number in a list without cursors; undefined on the last one. */
  next: string | undefined;
  /** The whole body, for lists that carry more than their records. */
  body: Record<string, unknown>;
}

/** A list, which is read page by page: `for await (const server of gantry.servers.list())`. */
export interface Pages<T> extends AsyncIterable<T> {
  /** Iterates over pages instead of records. */
  pages(): AsyncIterable<Page<T>>;
  /** Reads one page: the first, or the one at a cursor. */
  page(cursor?: string): Promise<Page<T>>;
  /** The first record, or undefined. */
  first(): Promise<T | undefined>;
  /** The first records, at most `max`. */
  toArray(options: { max: number }): Promise<T[]>;
}

/** The list at a path, whose records are the member `key` of the body. Nothing is sent before it is read. */
export function listOf<T>(transport: Transport, path: string, key: string, call: Call): Pages<T> {
  const page = async (cursor?: string): Promise<Page<T>> =>
    pageOf(await transport.send("GET", path, { ...call, query: { ...call.query, ...pageAt(cursor) } }), key);

  async function* pages(): AsyncGenerator<Page<T>> {
    let cursor: string | undefined;
    do {
      const read = await page(cursor);
      yield read;
      cursor = read.next;
    } while (cursor);
  }

  async function* items(): AsyncGenerator<T> {
    for await (const { items } of pages()) yield* items;
  }

  return {
    pages,
    page,
    [Symbol.asyncIterator]: items,
    first: async () => (await page()).items[0],
    toArray: async ({ max }) => {
      const found: T[] = [];
      if (max > 0) for await (const item of items()) if (found.push(item) >= max) break;
      return found;
    },
  };
}

function pageOf<T>({ body, response }: Reply, key: string): Page<T> {
  const record = body as Record<string, unknown>;
  const total = response.headers.get("X-Total-Count");
  return {
    items: record[key] as T[],
    total: total === null ? undefined : Number(total),
    isTotalEstimated: response.headers.get("X-Total-Count-Estimated") === "true",
    next: nextPage(response),
    body: record,
  };
}

/** The cursor of the page after an answer, or its number in a list without cursors; undefined after the last page. */
export function nextPage(response: Response): string | undefined {
  const link = /<([^>]*)>; *rel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
  const query = link && new URL(link, "http://localhost").searchParams;
  return (query && (query.get("cursor") ?? query.get("page"))) || undefined;
}

/** The query of the page that `nextPage` or `Page.next` names; empty for the first page. */
export function pageAt(next: string | undefined): { page?: string; cursor?: string } {
  if (!next) return {};
  return /^\d+$/.test(next) ? { page: next } : { cursor: next };
}
