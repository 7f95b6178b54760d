import { type Model, Prisma, type Row, type Tx } from "@gantry/db";
import type { RequestType } from "@gantry/requests";
import qs from "qs";
import { z } from "zod";
import type { Caller } from "./caller.js";
import type { AppContext } from "./context.js";
import { conditions, type Filters, filterShape } from "./filters.js";
import { flag } from "./input.js";
import { fetchPage, type Page, type PageQuery, pageShape, slicePage } from "./paging.js";
import { request } from "./request.resource.js";
import { type OpenedRequest, planSchema } from "./request-opener.js";
import type { Link, Resource } from "./resource.js";
import { column, type Selection } from "./rows.js";
import { openSecret } from "./secrets.js";

/** What a reply may need to turn a handler's result into an answer. */
export interface ReplyContext {
  db: Tx;
  appContext: AppContext;
  link: Link;
  caller: Caller | undefined;
  /** The path that was asked, without its query. */
  path: string;
  query: Record<string, unknown>;
  /** The query as it was written, for the links to other pages. */
  given: Record<string, unknown>;
}

export interface RenderedReply {
  body?: unknown;
  /** The body without its secrets, where it shows one: what may be kept under an idempotency key. */
  bodyWithoutSecrets?: unknown;
  headers?: Record<string, string>;
}

/** How an endpoint answers: the status, the shape for OpenAPI, and the way from a handler's result to the body. */
export interface Reply<Output> {
  status: number;
  schema?: z.ZodType;
  /** What the reply adds to the query that the endpoint takes. */
  query?: z.ZodRawShape;
  /** The Request that it opens. */
  opens?: RequestType | "any";
  render(output: Output, answering: ReplyContext): RenderedReply | Promise<RenderedReply>;
}

/** 200 with one record under its singular name. */
export function one<R, Shape extends z.ZodRawShape>(shown: Resource<R, Shape>, status = 200): Reply<R> {
  return {
    status,
    schema: z.object({ [shown.name]: shown.record }),
    render: async (row, answering) => {
      const { records, headers } = await serializeRows(shown, [row], answering);
      const bodyWithoutSecrets = shown.secret && { [shown.name]: shown.serialize(row, answering.link, null) };
      return { body: { [shown.name]: records[0] }, bodyWithoutSecrets, headers };
    },
  };
}

/** 201 with the new record under its singular name. */
export function created<R, Shape extends z.ZodRawShape>(shown: Resource<R, Shape>): Reply<R> {
  return one(shown, 201);
}

/** 204 without a body. */
export const empty: Reply<void> = { status: 204, render: () => ({}) };

/** 200 with `{request}`, or with `{plan}` where `dry_run=true` asks what would be done. */
export function requested<Name extends RequestType>(type: Name | "any"): Reply<OpenedRequest<Name>> {
  return {
    status: 200,
    opens: type,
    query: { dry_run: flag },
    schema: z.union([z.object({ request: request.record }), z.object({ plan: planSchema })]),
    render: (opened, { link }) => {
      if ("plan" in opened) return { body: opened };
      const { id } = opened.request;
      if (opened.hideRequest) return { body: {}, headers: { Link: `<${link("requests", id)}>; rel="monitor"` } };
      return { body: { request: request.serialize(opened.request, link), ...opened.extraFields } };
    },
  };
}

/** A body of a shape of its own. */
export function json<Schema extends z.ZodType>(schema: Schema, status = 200): Reply<z.input<Schema>> {
  return { status, schema, render: (body) => ({ body }) };
}

/** 200 with a page of records under their plural name: of a selection of rows, or of what is given. */
export function many<R, Shape extends z.ZodRawShape>(
  shown: Resource<R, Shape>,
  { filters = {} }: { filters?: Filters } = {},
): Reply<Listed<R>> {
  const deletion = shown.deleted ? { deleted: flag, with_deleted: flag } : {};
  return {
    status: 200,
    schema: z.object({ [shown.plural]: z.array(shown.record) }),
    query: { ...pageShape, ...deletion, ...filterShape(filters) },
    render: async (listed, answering) => {
      const query = answering.query as unknown as ListQuery;
      const page = Array.isArray(listed)
        ? slicePage(listed, query)
        : await fetchPage(answering.db, await applyFilters(listed, shown.deleted, filters, answering), query);
      const { records, headers } = await serializeRows(shown, page.rows as R[], answering);
      return { body: { [shown.plural]: records }, headers: { ...headers, ...pageHeaders(page, answering) } };
    },
  };
}

async function serializeRows<R, Shape extends z.ZodRawShape>(
  shown: Resource<R, Shape>,
  rows: R[],
  { link, caller, appContext }: ReplyContext,
): Promise<{ records: unknown[]; headers: Record<string, string> }> {
  const { secret } = shown;
  if (!secret || !caller?.hasScope("secrets:read")) {
    return { records: rows.map((row) => shown.serialize(row, link, null)), headers: {} };
  }
  const opened = await Promise.all(rows.map((row) => openSecret(appContext, caller, secret, row)));
  const records = rows.map((row, i) => shown.serialize(row, link, opened[i] ?? null));
  return { records, headers: { "Cache-Control": "no-store" } };
}

interface ListQuery extends PageQuery {
  deleted?: boolean;
  with_deleted?: boolean;
}

async function applyFilters(
  selection: Selection<Model>,
  deletedField: string | undefined,
  filters: Filters,
  { query, caller }: ReplyContext,
): Promise<Selection<Model>> {
  const parts = [selection.where];
  if (deletedField && !query.with_deleted) {
    const state = Prisma.raw(query.deleted ? "IS NOT NULL" : "IS NULL");
    parts.push(Prisma.sql`${column(deletedField)} ${state}`);
  }
  if (caller) parts.push(...(await conditions(filters, query, caller)));
  return { ...selection, where: Prisma.join(parts, " AND ") };
}

function pageHeaders(page: Page<unknown>, { link, path, given }: ReplyContext): Record<string, string> {
  const links = page.links.map(({ rel, page, cursor }) => {
    const query = qs.stringify({ ...given, page, cursor }, { arrayFormat: "brackets", strictNullHandling: true });
    return `<${link(path.slice(1))}?${query}>; rel="${rel}"`;
  });
  return {
    Link: links.join(", "),
    "X-Total-Count": String(page.total),
    ...(page.estimated && { "X-Total-Count-Estimated": "true" }),
  };
}

/** What a handler of a list gives: a selection whose rows the resource can show, or the rows themselves. */
export type Listed<R> = { [M in Model]: Row<M> extends R ? Selection<M> : never }[Model] | R[];
