import { type Model, Prisma, type Row } from "@gantry/db";
import type { WireRecord } from "@gantry/resources";
import qs from "qs";
import { z } from "zod";
import { flag } from "../input/input.js";
import { conditions, contains, type Filters, filterShape, references } from "../lists/filters.js";
import { fetchPage, type Page, type PageQuery, pageShape, slicePage } from "../lists/paging.js";
import { tagFilter } from "../lists/tags.js";
import { column, type Order, type Selection } from "../rows/rows.js";
import { type Reply, type ReplyContext, recordFor } from "./reply.js";

/** The result of a list's handler: a selection of rows that the resource can serialize, or the rows themselves. */
export type Listed<R> = { [M in Model]: Row<M> extends R ? Selection<M> : never }[Model] | R[];

/** 200 with a page of records under their plural name, without secrets. */
export function many<R, Shape extends z.ZodRawShape>(
  resource: WireRecord<R, Shape>,
  { filters: ownFilters = {}, sorts }: { filters?: Filters; sorts?: Sorts } = {},
): Reply<Listed<R>> {
  const { plural, record, deleted } = resource;
  const filters: Filters = {
    ...(isOfAccount(record) && { account: references("account") }),
    ...ownFilters,
    ...("tags" in record.shape && { tag: tagFilter }),
    ...("name" in ownFilters && { q: contains(ownFilters.name?.columnName ?? "name", "the name") }),
  };
  const deletion = deleted
    ? {
        deleted: flag.describe("True for only deleted records"),
        with_deleted: flag.describe("True to include deleted records"),
      }
    : {};
  return {
    status: 200,
    schema: z.object({ [plural]: z.array(record) }),
    query: { ...pageShape, ...deletion, ...filterShape(filters, record.shape), ...(sorts && { sort: sortOf(sorts) }) },
    render: async (listed, context) => {
      const query = context.query as unknown as ListQuery;
      const page = Array.isArray(listed)
        ? slicePage(listed, query)
        : await fetchPage(
            context.db,
            await applyFilters(ordered(listed, sorts, query), deleted, filters, context),
            query,
          );
      const records = (page.rows as R[]).map((row) => recordFor(resource, row, context, null));
      return { body: { [plural]: records }, headers: pageHeaders(page, context) };
    },
  };
}

/** True if every row belongs to an account. */
function isOfAccount({ shape }: z.ZodObject): boolean {
  return shape.account !== undefined && !z.safeParse(shape.account, null).success;
}

/** The orders that a list can be asked for, by the values of `sort`. */
export type Sorts = Readonly<Record<string, Order<never>>>;

function sortOf(sorts: Sorts): z.ZodType {
  return z.enum(Object.keys(sorts)).optional().describe("The sort order; a leading minus means descending");
}

function ordered(selection: Selection<Model>, sorts: Sorts | undefined, { sort }: ListQuery): Selection<Model> {
  if (!sort || !sorts) return selection;
  const order = sorts[sort] as Order<Model>;
  return { ...selection, ...(order.parts && selection.inParts), order };
}

interface ListQuery extends PageQuery {
  sort?: string;
  deleted?: boolean;
  with_deleted?: boolean;
}

/** Models whose indexes for lists have only the rows that are not deleted, beside one of all. */
export const WITH_LIVING_INDEX: ReadonlySet<Model> = new Set<Model>(["server", "volume", "snapshot"]);

async function applyFilters(
  selection: Selection<Model>,
  deletedField: string | undefined,
  filters: Filters,
  { query, caller }: ReplyContext,
): Promise<Selection<Model>> {
  const hasLivingIndexes = WITH_LIVING_INDEX.has(selection.model);
  const where = [selection.where];
  const checked = selection.checked ? [selection.checked] : [];
  if (deletedField && !query.with_deleted) {
    const state = Prisma.sql`${column(deletedField)} ${Prisma.raw(query.deleted ? "IS NOT NULL" : "IS NULL")}`;
    if (!query.deleted && hasLivingIndexes) where.push(state);
    else checked.push(state);
  }
  const within = hasLivingIndexes && (query.deleted || query.with_deleted) ? [] : selection.within;
  const used = caller && (await conditions(filters, query, caller, within));
  where.push(...(used?.indexed ?? []));
  checked.push(...(used?.checked ?? []));
  return {
    ...selection,
    ...(used?.nullColumn && { nullColumn: used.nullColumn }),
    where: Prisma.join(where, " AND "),
    ...(checked.length > 0 && { checked: Prisma.join(checked, " AND ") }),
  };
}

function pageHeaders(page: Page<unknown>, { link, path, rawQuery }: ReplyContext): Record<string, string> {
  const links = page.links.map(({ rel, page, cursor }) => {
    const query = qs.stringify({ ...rawQuery, page, cursor }, { arrayFormat: "brackets", strictNullHandling: true });
    return `<${link(path.slice(1))}?${query}>; rel="${rel}"`;
  });
  return {
    Link: links.join(", "),
    "X-Total-Count": String(page.total),
    ...(page.estimated && { "X-Total-Count-Estimated": "true" }),
  };
}
