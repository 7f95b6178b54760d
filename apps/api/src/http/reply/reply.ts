import type { Tx } from "@gantry/db";
import { type Link, type RequestType, request, type WireRecord } from "@gantry/resources";
import { z } from "zod";
import type { Audit } from "../audit/audit.js";
import { decryptSecret, maySeeSecret } from "../audit/secrets.js";
import type { Caller } from "../auth/caller.js";
import type { AppContext } from "../context.js";
import { flag } from "../input/input.js";
import type { MediaTypes } from "../media-types.js";
import { type CreatedRequest, planSchema } from "../plans/requested.js";

/** The data that a reply may need to render a handler's result. */
export interface ReplyContext extends Pick<AppContext, "events" | "identities" | "log" | "vault"> {
  db: Tx;
  audit: Audit;
  link: Link;
  caller: Caller | undefined;
  /** The path of the input, without its query. */
  path: string;
  query: Record<string, unknown>;
  /** The query before it was parsed, for the links to other pages. */
  rawQuery: Record<string, unknown>;
  /** A header of the input. */
  header(name: string): string | undefined;
  /** True once the caller's connection is closed: a wait for this answer can end. */
  hasLeft(): boolean;
}

export interface RenderedReply {
  body?: unknown;
  /** The body without its secrets, if it has any. Only this body is stored under an idempotency key. */
  bodyWithoutSecrets?: unknown;
  headers?: Record<string, string>;
  /** A body that is streamed, instead of `body`. */
  stream?: { mediaType: string; chunks: AsyncIterable<string> };
}

/** The reply of an endpoint: the status, the schema for OpenAPI, and the rendering of the handler's result. */
export interface Reply<Output> extends MediaTypes {
  status: number;
  schema?: z.ZodType;
  /** Statuses of refusals that only few replies have. */
  refusals?: readonly number[];
  /** The name of the resource whose record it shows. */
  recordName?: string;
  /**
   * What the record shows to this caller, for its entity tag: without words about the time that has passed, and with
   * something that changes with a secret in place of it.
   */
  version?(output: never, context: ReplyContext): unknown;
  /** The name of the secret that it shows this once. */
  secret?: string;
  /** The parameters that the reply adds to the endpoint's query. */
  query?: z.ZodRawShape;
  /** True if the header `Link` has the Request that the change started, if it started one. */
  linksRequest?: boolean;
  /** The types of the Request that the endpoint may create. */
  requestTypes?: readonly (RequestType | "any")[];
  render(output: Output, context: ReplyContext): RenderedReply | Promise<RenderedReply>;
}

/** 200 with one record under its singular name, and with its secret if the caller may read it. */
export function one<R, Shape extends z.ZodRawShape>(resource: WireRecord<R, Shape>, status = 200): Reply<R> {
  const { name, record, secret } = resource;
  return {
    status,
    recordName: name,
    schema: z.object({ [name]: record }),
    version: (row: R, context) =>
      recordFor(resource, row, context, secret ? sealed(row, secret.field, context) : null, EPOCH),
    render: async (row, context) => {
      const withoutSecret = { [name]: resource.serialize(row, context.link, null) };
      if (!secret && !resource.forAdmins) return { body: withoutSecret };
      const decrypted = secret ? await decryptSecret(context, name, secret, row) : null;
      const body = { [name]: recordFor(resource, row, context, decrypted) };
      return { body, bodyWithoutSecrets: withoutSecret };
    },
  };
}

/**
 * 200 with a record as `one` shows it. The header `Link` has the Request that its change started, if it started one: a
 * second name in the body would change what clients read as the record.
 */
export function changed<R, Shape extends z.ZodRawShape>(
  resource: WireRecord<R, Shape>,
): Reply<R & { started: CreatedRequest | undefined }> {
  const shown = one(resource);
  return {
    ...shown,
    linksRequest: true,
    render: async (output, context) => {
      const { started } = output;
      const headers = started && "request" in started ? monitorLink(started.request.id, context.link) : undefined;
      return { ...(await shown.render(output, context)), ...(headers && { headers }) };
    },
  };
}

const monitorLink = (id: string, link: Link) => ({ Link: `<${link("requests", id)}>; rel="monitor"` });

/** Records show how long ago this was in the same words at any time. */
const EPOCH = new Date(0);

/** The secret as the row holds it, if the caller may read it. */
function sealed<R>(row: R, field: keyof R, { caller }: ReplyContext): string | null {
  const { accountId } = row as { accountId: string };
  const secret = row[field];
  return maySeeSecret(caller, accountId) && secret instanceof Uint8Array
    ? Buffer.from(secret).toString("base64")
    : null;
}

/**
 * The record of a row as the caller may see it.
 *
 * @param at the time to which words such as "3 hours ago" refer; now if absent
 */
export function recordFor<R, Shape extends z.ZodRawShape>(
  { serialize, forAdmins }: WireRecord<R, Shape>,
  row: R,
  { link, caller }: ReplyContext,
  secret: string | null,
  at?: Date,
): object {
  const record = serialize(row, link, secret, at);
  const isAdmin = forAdmins && caller?.administers((row as { accountId: string }).accountId);
  return isAdmin ? { ...record, ...forAdmins(row) } : record;
}

/** 201 with the new record under its singular name. */
export function created<R, Shape extends z.ZodRawShape>(resource: WireRecord<R, Shape>): Reply<R> {
  return one(resource, 201);
}

/** 204 without a body. */
export const empty: Reply<void> = { status: 204, render: () => ({}) };

const requestAnswer = z.object({ request: request.record }).meta({ id: "RequestAnswer" });
const planAnswer = z
  .object({ plan: planSchema })
  .meta({ id: "PlanAnswer", description: "The response if the query contains `dry_run=true`" });

/** 200 with `{request}` of one of the types, or with `{plan}` if the query says `dry_run=true`. */
export function requested<Type extends RequestType>(...types: (Type | "any")[]): Reply<CreatedRequest<Type>> {
  return {
    status: 200,
    requestTypes: types,
    query: { dry_run: flag.describe("True to get a plan of what would be created, instead of a Request") },
    schema: z.union([requestAnswer, planAnswer]),
    render: (created, { link }) => {
      if ("plan" in created) return { body: created };
      const { id } = created.request;
      if (created.hideRequest) return { body: {}, headers: monitorLink(id, link) };
      return { body: { request: request.serialize(created.request, link), ...created.extraFields } };
    },
  };
}

/** A body of any schema. */
export function json<Schema extends z.ZodType>(schema: Schema, status = 200): Reply<z.input<Schema>> {
  return { status, schema, render: (body) => ({ body }) };
}

const SHOWN_BEFORE = "this call was already carried out; only its first response shows the secret";

/**
 * A body with a secret, under the name `secret`, that is shown this once: what is kept for an idempotency key has null in its
 * place, and a notice that says why. A body without a secret has null, too, and no notice.
 */
export function shownOnce<Shape extends z.ZodRawShape, Name extends string>(
  secret: Name,
  shape: Shape,
  status = 200,
): Reply<z.input<z.ZodObject<Shape>> & Record<Name, string | null>> {
  const shown = z
    .string()
    .nullable()
    .meta({ format: "password", description: "Shown only once; null if repeated, or if it has none" });
  const notice = z.string().optional().describe("Why a repeated response has no secret");
  return {
    status,
    secret,
    schema: z.object({ [secret]: shown, ...shape, notice }),
    render: (body) =>
      body[secret] === null
        ? { body }
        : { body, bodyWithoutSecrets: { ...body, [secret]: null, notice: SHOWN_BEFORE } },
  };
}

/** 200 with a stream of records, each a line of JSON. */
export function ndjson<R, Shape extends z.ZodRawShape>(resource: WireRecord<R, Shape>): Reply<AsyncIterable<R>> {
  const lines = async function* (rows: AsyncIterable<R>, link: Link) {
    for await (const row of rows) yield `${JSON.stringify(resource.serialize(row, link))}\n`;
  };
  const mediaType = "application/x-ndjson";
  return {
    status: 200,
    mediaType,
    schema: resource.record,
    render: (rows, { link }) => ({ stream: { mediaType, chunks: lines(rows, link) } }),
  };
}
