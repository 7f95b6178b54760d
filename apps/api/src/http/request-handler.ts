import type { Db, Tx } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import type { Request as Input, RequestHandler, Response } from "express";
import { v7 as uuidv7 } from "uuid";
import { setHeaders } from "./authenticate.js";
import { Caller, type Identity } from "./caller.js";
import type { AppContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { notFound } from "./errors.js";
import { IdempotencyKey, type SentReply } from "./idempotency.js";
import { isUnstorable, parse, strict } from "./input.js";
import { requestOpener } from "./request-opener.js";
import { type Link, linkUnder } from "./resource.js";

type Query = Record<string, unknown>;

interface Invocation {
  endpoint: Endpoint;
  appContext: AppContext;
  input: Input;
  identity: Identity | undefined;
  traceId: string;
  link: Link;
  /** The query before it was parsed. */
  rawQuery: Query;
  query: Query;
  body: unknown;
}

/** What follows the commit of a call's changes. */
interface Committed {
  notifications: Notification[];
  actions: (() => void)[];
}

/** Parses the input, runs the endpoint's handler and sends the reply. */
export function requestHandler(endpoint: Endpoint, appContext: AppContext): RequestHandler {
  const bodySchema = endpoint.body ?? strict({});
  const querySchema = strict({ ...endpoint.query, ...endpoint.reply.query });
  const emptyQuery = querySchema.safeParse({}).data;
  const fixedLink = appContext.env.BASE_URL ? linkUnder(appContext.env.BASE_URL) : undefined;

  return async (input, res) => {
    const link = fixedLink ?? linkUnder(`${input.protocol}://${input.get("host")}`);
    if (Object.values(input.params as Record<string, string>).some(isUnstorable)) throw notFound();
    const hasQuery = input.url.includes("?");
    const rawQuery = hasQuery ? (input.query as Query) : {};
    const query = (hasQuery || !emptyQuery ? parse(querySchema, rawQuery) : emptyQuery) as Query;
    const hasBody = endpoint.body !== undefined || input.body !== undefined;
    const body = hasBody ? parse(bodySchema, input.body ?? {}) : undefined;
    const identity = res.locals.identity as Identity | undefined;
    const traceId = res.locals.traceId as string;
    const invocation: Invocation = { endpoint, appContext, input, identity, traceId, link, rawQuery, query, body };
    const takesKey = endpoint.method !== "GET" && !endpoint.secret && identity;
    const key = takesKey ? IdempotencyKey.of(input, identity.user.id) : undefined;
    const usesKey = key && !query.dry_run;
    const reply = usesKey ? await withIdempotency(invocation, key) : await runInTransaction(invocation);
    send(res, reply, endpoint.secret);
  };
}

async function withIdempotency(invocation: Invocation, key: IdempotencyKey): Promise<SentReply> {
  const { appContext, link } = invocation;
  const earlier = await key.recall(appContext.db, link);
  if (earlier) return earlier;
  try {
    return await runInTransaction(invocation, key);
  } catch (error) {
    // The same input, committed by a concurrent invocation, may be the cause of the error.
    const concurrent = await key.recall(appContext.db, link);
    if (concurrent) return concurrent;
    throw error;
  }
}

async function runInTransaction(invocation: Invocation, key?: IdempotencyKey): Promise<SentReply> {
  const { endpoint, appContext } = invocation;
  const committed: Committed = { notifications: [], actions: [] };
  const needsTransaction = endpoint.transaction || (key && !endpoint.reply.opens);
  const reply = needsTransaction
    ? await appContext.db.$transaction((tx) => invoke(invocation, tx, committed, key))
    : await invoke(invocation, appContext.db, committed, key);
  const { notifications, actions } = committed;
  if (notifications.length > 0) appContext.notifier.notify(...notifications);
  for (const action of actions) action();
  return reply;
}

/** Runs the handler on `db`, renders its result, stores the key and collects what follows the commit. */
async function invoke(
  invocation: Invocation,
  db: Db | Tx,
  { notifications, actions }: Committed,
  key?: IdempotencyKey,
): Promise<SentReply> {
  const { endpoint, appContext, input, identity, traceId, link, rawQuery, query, body } = invocation;
  const access = endpoint.access === "anyone" ? "write" : endpoint.access;
  const caller = identity && new Caller(identity, access, db);
  const notify = ({ id, wake }: Notification) => void notifications.push({ id, wake });
  const onCommit = (action: () => void) => void actions.push(action);
  const openContext = {
    db,
    userId: identity?.user.id,
    traceId,
    dryRun: query.dry_run === true,
    keyFor: key?.forRequest.bind(key),
    onAccepted: notify,
  };
  const params = input.params as Record<string, string>;
  const open = requestOpener(openContext, uuidv7);
  const output = await endpoint.handle({ params, body, query, caller, db, open, link, notify, onCommit, appContext });
  const { reply } = endpoint;
  const rendered = await reply.render(output, { db, appContext, link, caller, path: input.path, query, rawQuery });
  if (key && !reply.opens) await key.store(db, reply.status, textOf(rendered.bodyWithoutSecrets ?? rendered.body));
  return { status: reply.status, text: textOf(rendered.body), headers: rendered.headers };
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function send(res: Response, { status, text, headers }: SentReply, isSecret: boolean): void {
  if (headers) setHeaders(res, headers);
  if (isSecret) res.setHeader("Cache-Control", "no-store");
  if (text !== undefined) res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.statusCode = status;
  res.end(text);
}
