import type { Db, Tx } from "@gantry/db";
import type { Notification } from "@gantry/requests";
import { type Request as Input, type RequestHandler, type Response, Router } from "express";
import { v7 as uuidv7 } from "uuid";
import { authenticate, type HttpContext, readBody, setHeaders } from "./authenticate.js";
import { Caller, type Identity } from "./caller.js";
import type { AppContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { HttpError, notFound } from "./errors.js";
import { IdempotencyKey, type SentReply } from "./idempotency.js";
import { isUnstorable, parse, strict } from "./input.js";
import { requestOpener } from "./request-opener.js";
import { type Link, linkUnder } from "./resource.js";

/** Puts endpoints on a router of their own for each first part of their paths. */
export function mount(endpoints: Endpoint[], frame: HttpContext): RequestHandler {
  const routers = new Map<string, Router>();
  for (const [pattern, group] of byPattern(endpoints)) {
    const first = pattern.split("/")[1] ?? "";
    const router = routers.get(first) ?? Router({ caseSensitive: true });
    routers.set(first, router);
    for (const endpoint of group) {
      const { method, path } = endpoint;
      router[method.toLowerCase() as "get"](
        path,
        authenticate(endpoint, frame),
        readBody,
        requestHandler(endpoint, frame.appContext),
      );
    }
    const allow = group.map(({ method }) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
    router.all(pattern, () => {
      throw new HttpError(405, "method_not_allowed", [`the methods here are: ${allow}`], { headers: { Allow: allow } });
    });
  }
  return (input, res, next) => {
    const router = routers.get(input.path.split("/", 2)[1] ?? "");
    if (router) router(input, res, next);
    else next();
  };
}

// Fixed paths stand before those with parameters, whatever their order in the table of contents.
function byPattern(endpoints: Endpoint[]): [string, Endpoint[]][] {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const pattern = endpoint.path.replace(/:\w+/g, ":_");
    groups.set(pattern, [...(groups.get(pattern) ?? []), endpoint]);
  }
  const named = [...groups].map(([, group]) => [group[0]?.path ?? "", group] as [string, Endpoint[]]);
  return named.sort(([a], [b]) => (a.replaceAll(":", "\uffff") < b.replaceAll(":", "\uffff") ? -1 : 1));
}

/** Parses the input, runs the handler and sends its answer. */
function requestHandler(endpoint: Endpoint, appContext: AppContext): RequestHandler {
  const bodySchema = endpoint.body ?? strict({});
  const querySchema = strict({ ...endpoint.query, ...endpoint.reply.query });
  const emptyQuery = querySchema.safeParse({}).data;
  const fixedLink = appContext.env.BASE_URL ? linkUnder(appContext.env.BASE_URL) : undefined;

  return async (input, res) => {
    const link = fixedLink ?? linkUnder(`${input.protocol}://${input.get("host")}`);
    if (Object.values(input.params as Record<string, string>).some(isUnstorable)) throw notFound();
    const given = input.url.includes("?") ? (input.query as Record<string, unknown>) : {};
    const query = (input.url.includes("?") || !emptyQuery ? parse(querySchema, given) : emptyQuery) as Record<
      string,
      unknown
    >;
    const hasBody = endpoint.body !== undefined || input.body !== undefined;
    const body = hasBody ? parse(bodySchema, input.body ?? {}) : undefined;
    const identity = res.locals.identity as Identity | undefined;
    const traceId = res.locals.traceId as string;
    const invocation: Invocation = { endpoint, appContext, input, identity, traceId, link, given, query, body };
    const mayRepeat = endpoint.method !== "GET" && !endpoint.secret && identity;
    const key = mayRepeat ? IdempotencyKey.of(input, identity.user.id) : undefined;
    send(
      res,
      key && !query.dry_run ? await withIdempotency(invocation, key) : await runInTransaction(invocation),
      endpoint.secret,
    );
  };
}

interface Invocation {
  endpoint: Endpoint;
  appContext: AppContext;
  input: Input;
  identity: Identity | undefined;
  traceId: string;
  link: Link;
  given: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

async function withIdempotency(invocation: Invocation, key: IdempotencyKey): Promise<SentReply> {
  const earlier = await key.recall(invocation.appContext.db, invocation.link);
  if (earlier) return earlier;
  try {
    return await runInTransaction(invocation, key);
  } catch (error) {
    // Where the same input was carried out meanwhile, that is why this one failed.
    const first = await key.recall(invocation.appContext.db, invocation.link);
    if (first) return first;
    throw error;
  }
}

async function runInTransaction(invocation: Invocation, key?: IdempotencyKey): Promise<SentReply> {
  const { endpoint, appContext } = invocation;
  const notifications: Notification[] = [];
  const inTransaction = endpoint.transaction || (key && !endpoint.reply.opens);
  const sent = inTransaction
    ? await appContext.db.$transaction((tx) => invoke(invocation, tx, notifications, key))
    : await invoke(invocation, appContext.db, notifications, key);
  if (notifications.length > 0) appContext.notifier.notify(...notifications);
  return sent;
}

async function invoke(
  invocation: Invocation,
  db: Db | Tx,
  notifications: Notification[],
  key?: IdempotencyKey,
): Promise<SentReply> {
  const { endpoint, appContext, input, identity, traceId, link, given, query, body } = invocation;
  const access = endpoint.access === "anyone" ? "write" : endpoint.access;
  const caller = identity && new Caller(identity, access, db);
  const notify = ({ id, accountId, wake }: Notification) => void notifications.push({ id, accountId, wake });
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
  const output = await endpoint.handle({ params, body, query, caller, db, open, link, notify, appContext });
  const { reply } = endpoint;
  const made = await reply.render(output, { db, appContext, link, caller, path: input.path, query, given });
  const sent = {
    status: reply.status,
    text: made.body === undefined ? undefined : JSON.stringify(made.body),
    headers: made.headers,
  };
  if (key && !reply.opens)
    await key.store(db, made.bodyWithoutSecrets ? { ...sent, text: JSON.stringify(made.bodyWithoutSecrets) } : sent);
  return sent;
}

function send(res: Response, { status, text, headers }: SentReply, secret: boolean): void {
  if (headers) setHeaders(res, headers);
  if (secret) res.setHeader("Cache-Control", "no-store");
  if (text !== undefined) res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.statusCode = status;
  res.end(text);
}
