import type { Db, Tx } from "@gantry/db";
import { type Link, linkUnder } from "@gantry/resources";
import type { Request as Input, Response } from "express";
import { reasonOf } from "../audit/audit.js";
import { Caller, type Identity } from "../auth/caller.js";
import { type Conditions, conditionsOf } from "../conditions/entity-tags.js";
import type { AppContext } from "../context.js";
import type { Endpoint } from "../endpoint.js";
import { notFound } from "../errors/errors.js";
import { isUnstorable, parse, strict } from "../input/input.js";
import { parametersOf } from "../input/tolerated-parameters.js";
import { IdempotencyKey, isKeyed, type SentReply } from "./idempotency.js";

type Query = Record<string, unknown>;

/** A call of an endpoint: its parsed input, and who makes it. */
export interface Call {
  endpoint: Endpoint;
  appContext: AppContext;
  input: Input;
  /** The locals of the answer; the caller goes there, for the record of a refusal. */
  locals: Record<string, unknown>;
  identity: Identity | undefined;
  link: Link;
  params: Record<string, string>;
  /** The query before it was parsed. */
  rawQuery: Query;
  query: Query;
  /** The body before it was parsed. */
  rawBody: unknown;
  body: unknown;
  isDryRun: boolean;
  conditions: Conditions;
  /** The endpoint that shows the record which the call changes. */
  shown: Endpoint | undefined;
  /** The idempotency key that the input of an authenticated caller carries. */
  key: IdempotencyKey | undefined;
}

/** Answers a call. */
export type Answer = (call: Call) => Promise<SentReply>;

/** The parser of an endpoint's inputs. */
export function callParser(
  endpoint: Endpoint,
  appContext: AppContext,
  shown?: Endpoint,
): (input: Input, res: Response) => Call {
  const bodySchema = endpoint.body ?? strict({});
  const querySchema = strict({ ...endpoint.query, ...endpoint.reply.query });
  const queryNames = Object.keys(querySchema.shape);
  // Parsed when it is first needed: compiling the schemas of all endpoints takes a tenth of the start.
  let emptyQuery: Query | undefined;
  const fixedLink = appContext.env.BASE_URL ? linkUnder(appContext.env.BASE_URL) : undefined;

  return (input, { locals }) => {
    const link = fixedLink ?? linkUnder(`${input.protocol}://${input.get("host")}`);
    const params = input.params as Record<string, string>;
    if (Object.values(params).some(isUnstorable)) throw notFound();
    const { body: rawBody, query: rawQuery } = parametersOf(endpoint, input, queryNames);
    const isEmpty = Object.keys(rawQuery).length === 0;
    const query = (isEmpty && emptyQuery) || (parse(querySchema, rawQuery, "query") as Query);
    if (isEmpty) emptyQuery = query;
    const hasBody = endpoint.body !== undefined || rawBody !== undefined;
    const body = hasBody ? parse(bodySchema, rawBody ?? {}) : undefined;
    const identity = locals.identity as Identity | undefined;
    const isDryRun = query.dry_run === true;
    const call: Call = {
      endpoint,
      appContext,
      input,
      locals,
      identity,
      link,
      params,
      rawQuery,
      query,
      rawBody,
      body,
      isDryRun,
      conditions: conditionsOf(input),
      shown,
      key: undefined,
    };
    call.key = identity && keyOf(call, identity.user.id);
    return call;
  };
}

/** The idempotency key that the input of a call carries, as a user's. */
export function keyOf(call: Call, userId: string): IdempotencyKey | undefined {
  const { endpoint, appContext, input, params, rawQuery, rawBody, isDryRun } = call;
  if (!isKeyed(endpoint)) return undefined;
  const values = [endpoint.route, params, rawQuery, rawBody ?? {}];
  const key = IdempotencyKey.of(input, values, userId, appContext.keys.fingerprints);
  return isDryRun ? undefined : key;
}

/** The caller, who finds rows on `db`. */
export function callerOf({ endpoint: { access }, identity, input }: Call, db: Db | Tx): Caller | undefined {
  return identity && new Caller(identity, access === "anyone" ? "write" : access, db, reasonOf(input));
}
