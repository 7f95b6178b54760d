import type { Db, Tx } from "@gantry/db";
import type { Ring } from "@gantry/requests";
import { type Request as Input, type RequestHandler, type Response, Router } from "express";
import { v7 as uuidv7 } from "uuid";
import { opener } from "./accept.js";
import { admission, type Frame, readBody, setHeaders } from "./admission.js";
import { Caller, type Identity } from "./caller.js";
import type { Endpoint } from "./endpoint.js";
import { HttpError, notFound } from "./errors.js";
import type { House } from "./house.js";
import { IdempotencyKey, type Sent } from "./idempotency.js";
import { isUnstorable, parse, strict } from "./input.js";
import { type Link, linkUnder } from "./resource.js";

/** Puts endpoints on a router of their own for each first part of their paths. */
export function mount(endpoints: Endpoint[], frame: Frame): RequestHandler {
  const routers = new Map<string, Router>();
  for (const [pattern, group] of byPattern(endpoints)) {
    const first = pattern.split("/")[1] ?? "";
    const router = routers.get(first) ?? Router({ caseSensitive: true });
    routers.set(first, router);
    for (const endpoint of group) {
      const { method, path } = endpoint;
      router[method.toLowerCase() as "get"](
        path,
        admission(endpoint, frame),
        readBody,
        performance(endpoint, frame.house),
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
function performance(endpoint: Endpoint, house: House): RequestHandler {
  const bodySchema = endpoint.body ?? strict({});
  const querySchema = strict({ ...endpoint.query, ...endpoint.reply.query });
  const emptyQuery = querySchema.safeParse({}).data;
  const fixedLink = house.env.BASE_URL ? linkUnder(house.env.BASE_URL) : undefined;

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
    const act: Act = { endpoint, house, input, identity, traceId, link, given, query, body };
    const mayRepeat = endpoint.method !== "GET" && !endpoint.secret && identity;
    const key = mayRepeat ? IdempotencyKey.of(input, identity.user.id) : undefined;
    send(res, key && !query.dry_run ? await once(act, key) : await perform(act), endpoint.secret);
  };
}

interface Act {
  endpoint: Endpoint;
  house: House;
  input: Input;
  identity: Identity | undefined;
  traceId: string;
  link: Link;
  given: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
}

async function once(act: Act, key: IdempotencyKey): Promise<Sent> {
  const earlier = await key.recall(act.house.db, act.link);
  if (earlier) return earlier;
  try {
    return await perform(act, key);
  } catch (error) {
    // Where the same input was carried out meanwhile, that is why this one failed.
    const first = await key.recall(act.house.db, act.link);
    if (first) return first;
    throw error;
  }
}

async function perform(act: Act, key?: IdempotencyKey): Promise<Sent> {
  const { endpoint, house } = act;
  const rings: Ring[] = [];
  const inTransaction = endpoint.transaction || (key && !endpoint.reply.opens);
  const sent = inTransaction
    ? await house.db.$transaction((tx) => answer(act, tx, rings, key))
    : await answer(act, house.db, rings, key);
  if (rings.length > 0) house.bell.ring(...rings);
  return sent;
}

async function answer(act: Act, db: Db | Tx, rings: Ring[], key?: IdempotencyKey): Promise<Sent> {
  const { endpoint, house, input, identity, traceId, link, given, query, body } = act;
  const access = endpoint.access === "anyone" ? "write" : endpoint.access;
  const caller = identity && new Caller(identity, access, db);
  const ring = ({ id, accountId, wake }: Ring) => void rings.push({ id, accountId, wake });
  const asking = {
    db,
    userId: identity?.user.id,
    traceId,
    dryRun: query.dry_run === true,
    keyFor: key?.forRequest.bind(key),
    onAccepted: ring,
  };
  const params = input.params as Record<string, string>;
  const open = opener(asking, uuidv7);
  const output = await endpoint.handle({ params, body, query, caller, db, open, link, ring, house });
  const { reply } = endpoint;
  const made = await reply.answer(output, { db, house, link, caller, path: input.path, query, given });
  const sent = {
    status: reply.status,
    text: made.body === undefined ? undefined : JSON.stringify(made.body),
    headers: made.headers,
  };
  if (key && !reply.opens) await key.keep(db, made.kept ? { ...sent, text: JSON.stringify(made.kept) } : sent);
  return sent;
}

function send(res: Response, { status, text, headers }: Sent, secret: boolean): void {
  if (headers) setHeaders(res, headers);
  if (secret) res.setHeader("Cache-Control", "no-store");
  if (text !== undefined) res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.statusCode = status;
  res.end(text);
}
