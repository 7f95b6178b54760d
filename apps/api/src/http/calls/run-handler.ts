import { auditOf } from "../audit/audit.js";
import { SessionCookie } from "../auth/session-cookie.js";
import { showsRecord } from "../conditions/shown-by.js";
import { type Call, callerOf } from "./call.js";
import { CallRecord, isAudited } from "./call-record.js";
import type { SentReply } from "./idempotency.js";
import { requireConditions, tagOfRead } from "./preconditions.js";
import { keyAfterSignIn } from "./repeated-calls.js";
import { requestAcceptor } from "./request-acceptor.js";
import type { Attempt } from "./transaction.js";

/** Runs the endpoint's handler, renders its result, and writes the record and the idempotency key of the call. */
export async function runHandler(call: Call, attempt: Attempt): Promise<SentReply> {
  const { endpoint, appContext, input, identity, locals, link, params, rawQuery, query, body } = call;
  const { db, prepared, afterCommit } = attempt;
  const { reply } = endpoint;
  const caller = callerOf(call, db);
  locals.caller = caller;
  const audit = auditOf(input, locals);
  const record = new CallRecord(audit, call);
  let { key } = call;
  const context = {
    ...appContext,
    db,
    audit,
    link,
    caller,
    params,
    query,
    rawQuery,
    body,
    prepared,
    path: input.path,
    address: input.ip ?? "",
    cookie: () => SessionCookie.of(input, appContext.env),
    header: (name: string) => input.get(name),
    hasLeft: () => input.socket.destroyed,
    createRequest: requestAcceptor(call, attempt, record),
    wake: ({ id }: { id: string }) => void afterCommit.woken.push(id),
    onCommit: (action: () => void) => void afterCommit.actions.push(action),
    note: record.note,
    concern: record.concern,
    signedIn: async (userId: string) => {
      if (!identity) key = await keyAfterSignIn(call, db, userId);
    },
  };
  await requireConditions(call, db, context);
  const output = await endpoint.handle(context);
  const read = showsRecord(endpoint) ? tagOfRead(call, output, context) : undefined;
  const tagged = read && { ETag: read.tag };
  if (read?.isKnown) return { status: 304, text: undefined, headers: tagged };
  const { body: answer, bodyWithoutSecrets = answer, headers, stream } = await reply.render(output, context);
  // The record of a call that answers with a Request goes with the Request, and so does its key.
  if (isAudited(endpoint) && !reply.requestTypes) {
    const accountId = await record.write(db, output, caller);
    await key?.store(db, accountId, reply.status, textOf(bodyWithoutSecrets));
  }
  return { status: reply.status, text: textOf(answer), headers: { ...headers, ...tagged }, stream };
}

function textOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}
