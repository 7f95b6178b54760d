import { columnOf, type Db, type Tx, violatedUnique } from "@gantry/db";
import type { QueuedRequest } from "@gantry/requests";
import { type Link, linkUnder } from "@gantry/resources";
import type { Request as Input, RequestHandler } from "express";
import { v7 as uuidv7 } from "uuid";
import { type Act, auditOf, reasonOf, withoutSecrets } from "./audit.js";
import { type Access, Caller, type Identity, limitKeyOf } from "./caller.js";
import type { AppContext } from "./context.js";
import type { Endpoint } from "./endpoint.js";
import { notFound } from "./errors.js";
import { IdempotencyKey, type SentReply } from "./idempotency.js";
import { isUnstorable, parse, strict } from "./input.js";
import { withoutHashing } from "./passwords.js";
import { withParameter } from "./references.js";
import type { Reply } from "./reply.js";
import { requestOpener } from "./request-opener.js";
import { send } from "./send.js";
import { parametersOf } from "./tolerated-parameters.js";

type Query = Record<string, unknown>;

interface Invocation {
  endpoint: Endpoint;
  appContext: AppContext;
  input: Input;
  identity: Identity | undefined;
  /** The locals of the answer; the caller goes there, for the record of a refusal. */
  locals: Record<string, unknown>;
  traceId: string;
  link: Link;
  /** The query before it was parsed. */
  rawQuery: Query;
  query: Query;
  /** The body before it was parsed. */
  rawBody: unknown;
  body: unknown;
  /** The idempotency key of the input, scoped to its user. */
  keyOf(userId: string): IdempotencyKey | undefined;
  /** What the endpoint prepared before the transaction. */
  prepared?: unknown;
}

/** Ends a handler whose call was carried out before. */
class Repeated extends Error {
  constructor(readonly reply: SentReply) {
    super("carried out before");
  }
}

/** What follows the commit of a call's changes. */
interface Committed {
  accepted: QueuedRequest[];
  woken: string[];
  actions: (() => void)[];
}

/** Parses the input, runs the endpoint's handler and sends the reply. */
export function requestHandler(endpoint: Endpoint, appContext: AppContext): RequestHandler {
  const bodySchema = endpoint.body ?? strict({});
  const querySchema = strict({ ...endpoint.query, ...endpoint.reply.query });
  const queryNames = Object.keys(querySchema.shape);
  const emptyQuery = querySchema.safeParse({}).data;
  const fixedLink = appContext.env.BASE_URL ? linkUnder(appContext.env.BASE_URL) : undefined;

  return async (input, res) => {
    const link = fixedLink ?? linkUnder(`${input.protocol}://${input.get("host")}`);
    if (Object.values(input.params as Record<string, string>).some(isUnstorable)) throw notFound();
    const { body: rawBody, query: rawQuery } = parametersOf(endpoint, input, queryNames);
    const hasQuery = Object.keys(rawQuery).length > 0;
    const query = (hasQuery || !emptyQuery ? parse(querySchema, rawQuery) : emptyQuery) as Query;
    const hasBody = endpoint.body !== undefined || rawBody !== undefined;
    const body = hasBody ? parse(bodySchema, rawBody ?? {}) : undefined;
    const identity = res.locals.identity as Identity | undefined;
    const traceId = res.locals.traceId as string;
    const { locals } = res;
    const values = [endpoint.route, input.params, rawQuery, rawBody ?? {}];
    const takesKey = endpoint.method !== "GET" && endpoint.rate !== "report";
    const keyOf = (userId: string) => {
      const key = takesKey ? IdempotencyKey.of(input, values, userId, appContext.keys.fingerprints) : undefined;
      return query?.dry_run ? undefined : key;
    };
    const called = { endpoint, appContext, input, identity, locals, traceId, link };
    const invocation = { ...called, rawQuery, query, rawBody, body, keyOf };
    const key = identity && keyOf(identity.user.id);
    const takePlace = () => appContext.waiting.take(identity ? limitKeyOf(identity) : (input.ip ?? ""));
    let freePlace = Number(query?.wait ?? 0) > 0 ? takePlace() : undefined;
    try {
      const replying = key ? withIdempotency(invocation, key) : runKnowingWinners(invocation);
      const reply = await replying.catch((error: unknown) => {
        throw withParameter(error, { params: input.params, schema: bodySchema, body: rawBody });
      });
      if (reply.stream) freePlace ??= takePlace();
      await send(res, reply);
    } finally {
      freePlace?.();
    }
  };
}

async function withIdempotency(invocation: Invocation, key: IdempotencyKey): Promise<SentReply> {
  const { appContext, endpoint, identity, link } = invocation;
  const sees = (accountId: string) =>
    identity !== undefined && new Caller(identity, accessOf(endpoint), appContext.db).sees(accountId);
  const earlier = await key.recall(appContext.db, link, sees);
  if (earlier) return earlier;
  try {
    return await runKnowingWinners(invocation, key);
  } catch (error) {
    // The same input, committed by a concurrent invocation, may be the cause of the error.
    const concurrent = await key.recall(appContext.db, link, sees);
    if (concurrent) return concurrent;
    throw error;
  }
}

/**
 * Runs the call again if another one won a race for a unique value: the winner has committed by then, so that the rule
 * of the endpoint finds it, and names the conflict.
 */
async function runKnowingWinners(invocation: Invocation, key?: IdempotencyKey): Promise<SentReply> {
  const run = () => runInTransaction(invocation, key);
  return run()
    .catch((error: unknown) => {
      if (violatedUnique(error) === undefined) throw error;
      return run();
    })
    .catch((error: unknown) => {
      if (error instanceof Repeated) return error.reply;
      throw error;
    });
}

async function runInTransaction(invocation: Invocation, key?: IdempotencyKey): Promise<SentReply> {
  const { endpoint, appContext } = invocation;
  const committed: Committed = { accepted: [], woken: [], actions: [] };
  // One statement accepts a Request; other changes and their audit record are several.
  const needsTransaction = endpoint.transaction || (isAudited(endpoint) && !endpoint.reply.opens);
  const isDryRun = invocation.query.dry_run === true;
  const ready = { ...invocation, prepared: await prepare(invocation) };
  const reply =
    needsTransaction || isDryRun
      ? await inTransaction(appContext.db, isDryRun, (tx) => invoke(ready, tx, committed, key))
      : await invoke(ready, appContext.db, committed, key);
  const { accepted, woken, actions } = committed;
  if (accepted.length > 0) appContext.jobs.add(...accepted);
  if (woken.length > 0) appContext.jobs.wake(...woken);
  if (endpoint.method !== "GET" && !isDryRun) appContext.jobs.notifyWebhooks();
  for (const action of actions) action();
  return reply;
}

/** Runs `act` in a transaction, which is rolled back in a dry run. */
async function inTransaction<Result>(db: Db, isDryRun: boolean, act: (tx: Tx) => Promise<Result>): Promise<Result> {
  const rollback = new Error("a dry run changes nothing");
  let planned: Result | undefined;
  const acting = withoutHashing(() =>
    db.$transaction(async (tx) => {
      const result = await act(tx);
      if (!isDryRun) return result;
      planned = result;
      throw rollback;
    }),
  );
  return acting.catch((error: unknown) => {
    if (error !== rollback) throw error;
    return planned as Result;
  });
}

async function prepare({ endpoint, appContext, input, identity, body }: Invocation): Promise<unknown> {
  const { db } = appContext;
  const caller = identity && new Caller(identity, accessOf(endpoint), db, reasonOf(input));
  return endpoint.prepare?.({ body, caller, address: input.ip ?? "", db, appContext });
}

/** Runs the handler on `db`, renders its result, stores the key and collects what follows the commit. */
async function invoke(
  invocation: Invocation,
  db: Db | Tx,
  { accepted, woken, actions }: Committed,
  callersKey?: IdempotencyKey,
): Promise<SentReply> {
  let key = callersKey;
  const { endpoint, appContext, input, identity, locals, traceId, link, rawQuery, query, rawBody, body, prepared } =
    invocation;
  const caller = identity && new Caller(identity, accessOf(endpoint), db, reasonOf(input));
  locals.caller = caller;
  const audit = auditOf(input, locals);
  const act = {
    action: endpoint.route,
    status: endpoint.reply.status,
    changes: withoutSecrets(endpoint.body, rawBody),
  };
  const noted: Partial<Act> = {};
  const concernedIds = new Set<string>();
  const concern = (accountIds: readonly string[]) => accountIds.forEach((id) => void concernedIds.add(id));
  const wake = ({ id }: { id: string }) => void woken.push(id);
  const onCommit = (action: () => void) => void actions.push(action);
  // If a call answers with something else, its audit record and its key are written with the reply.
  const answersRequest = endpoint.reply.opens !== undefined;
  const note = (more: Partial<Act>) => void Object.assign(noted, more);
  const openContext = {
    db,
    inTransaction: db !== appContext.db,
    userId: identity?.user.id,
    traceId,
    dryRun: query.dry_run === true,
    keyFor: answersRequest ? key?.forRequest.bind(key) : undefined,
    auditOf: answersRequest ? (opened: Partial<Act>) => audit.insert({ ...act, ...opened }) : undefined,
    requireCapacity: (accountId: string) => appContext.openRequests.take(db, accountId),
    onAccepted: (request: QueuedRequest) => {
      accepted.push(request);
      if (!answersRequest) note({ requestId: request.id });
    },
  };
  const params = input.params as Record<string, string>;
  const open = requestOpener(openContext, uuidv7);
  const signedIn = async (userId: string) => {
    if (identity) return;
    key = invocation.keyOf(userId);
    const earlier = await key?.recall(db, link, () => false);
    if (earlier) throw new Repeated(earlier);
  };
  const address = input.ip ?? "";
  const header = (name: string) => input.get(name);
  const shared = { db, link, caller, query, header, appContext };
  const context = { ...shared, params, body, prepared, address, open, wake, onCommit, note, signedIn, concern };
  const output = await endpoint.handle(context);
  const { reply } = endpoint;
  const rendered = await reply.render(output, { ...shared, audit, path: input.path, rawQuery });
  if (isAudited(endpoint) && !reply.opens) {
    const concerned = { ...subjectOf(reply, output, caller), ...noted };
    if (concerned.accountId) concernedIds.add(concerned.accountId);
    for (const accountId of concernedIds.size > 0 ? concernedIds : [null])
      await audit.write(db, { ...act, ...concerned, accountId });
    await key?.store(
      db,
      concerned.accountId ?? null,
      reply.status,
      textOf(rendered.bodyWithoutSecrets ?? rendered.body),
    );
  }
  return { status: reply.status, text: textOf(rendered.body), headers: rendered.headers, stream: rendered.stream };
}

function accessOf({ access }: Endpoint): Access {
  return access === "anyone" ? "write" : access;
}

/** The audit records each change, except the reports of servers, which their Request shows. */
function isAudited({ method, rate }: Endpoint): boolean {
  return method !== "GET" && rate !== "report";
}

/** The record that a call concerned: the one that it answers with, else the one that it found last. */
function subjectOf({ recordName }: Reply<unknown>, output: unknown, caller: Caller | undefined): Partial<Act> {
  const found = caller?.lastFound;
  const shown = recordName === undefined ? undefined : (output as { id: string | number; accountId?: string });
  const subject = shown ? `${recordName}/${shown.id}` : found && `${columnOf(found.model)}/${found.id}`;
  return { accountId: shown?.accountId ?? found?.accountId ?? null, subject: subject ?? null };
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}
