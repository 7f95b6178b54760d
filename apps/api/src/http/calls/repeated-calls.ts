import type { Db, Tx } from "@gantry/db";
import { type Answer, type Call, callerOf, keyOf } from "./call.js";
import type { IdempotencyKey, SentReply } from "./idempotency.js";

/** Ends a handler whose call was carried out before. */
class CarriedOutBefore extends Error {
  constructor(readonly reply: SentReply) {
    super("carried out before");
  }
}

/** Answers a call that was carried out before with the first reply to its idempotency key. */
export function withFirstReply(answer: Answer): Answer {
  return (call) => (call.key ? recallOr(answer, call, call.key) : answer(call).catch(replyCarriedOut));
}

async function recallOr(answer: Answer, call: Call, key: IdempotencyKey): Promise<SentReply> {
  const { db } = call.appContext;
  const sees = (accountId: string) => callerOf(call, db)?.sees(accountId) ?? false;
  const earlier = await key.recall(db, call.link, sees);
  if (earlier) return earlier;
  try {
    return await answer(call);
  } catch (error) {
    // The same input, committed by a concurrent call, may be the cause of the error.
    const concurrent = await key.recall(db, call.link, sees);
    if (concurrent) return concurrent;
    throw error;
  }
}

function replyCarriedOut(error: unknown): SentReply {
  if (error instanceof CarriedOutBefore) return error.reply;
  throw error;
}

/** The key of a call whose caller signed in as a user; it ends the handler if the call was carried out before. */
export async function keyAfterSignIn(call: Call, db: Db | Tx, userId: string): Promise<IdempotencyKey | undefined> {
  const key = keyOf(call, userId);
  const earlier = await key?.recall(db, call.link, () => false);
  if (earlier) throw new CarriedOutBefore(earlier);
  return key;
}
