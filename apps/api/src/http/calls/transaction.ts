import { type Db, isRolledBack, type Tx, violatedUnique } from "@gantry/db";
import { withoutHashing } from "../auth/passwords.js";
import { isLocal, SessionCookie } from "../auth/session-cookie.js";
import type { AfterCommit } from "./after-commit.js";
import { type Answer, type Call, callerOf } from "./call.js";
import { isAudited } from "./call-record.js";
import type { SentReply } from "./idempotency.js";
import { isConditional } from "./preconditions.js";

/** An attempt to carry out a call. */
export interface Attempt {
  /** The transaction if there is one, otherwise the database. */
  db: Db | Tx;
  /** What the endpoint prepared before the transaction. */
  prepared: unknown;
  afterCommit: AfterCommit;
}

/**
 * Answers a call again if another one won a race: for a unique value, where the winner has committed by then, so that the
 * rule of the endpoint finds it and names the conflict; or for locks, where PostgreSQL rolled this call back to end a deadlock.
 */
export function withSecondAttempt(answer: Answer): Answer {
  return (call) =>
    answer(call).catch((error: unknown) => {
      if (violatedUnique(error) === undefined && !isRolledBack(error)) throw error;
      return answer(call);
    });
}

/** Carries out a call in a transaction if it needs one, after what the endpoint prepares. A dry run is rolled back. */
export function withTransaction(carryOut: (call: Call, attempt: Attempt) => Promise<SentReply>) {
  return async (call: Call, afterCommit: AfterCommit): Promise<SentReply> => {
    const { endpoint, appContext, input, body, isDryRun } = call;
    const { env, db, identities, throttle, trustedIssuers } = appContext;
    // One statement accepts a Request; other changes and their audit record are several.
    const needsTransaction =
      endpoint.transaction || (isAudited(endpoint) && !endpoint.reply.requestTypes) || isDryRun || isConditional(call);
    const preparing = endpoint.prepare?.({
      body,
      caller: callerOf(call, db),
      address: input.ip ?? "",
      cookie: () => SessionCookie.of(input, env),
      isLocal: isLocal(input),
      db,
      identities,
      throttle,
      trustedIssuers,
    });
    const prepared = preparing && (await preparing);
    const carryOutOn = (tx: Db | Tx) => carryOut(call, { db: tx, prepared, afterCommit });
    return needsTransaction ? inTransaction(db, isDryRun, carryOutOn) : carryOutOn(db);
  };
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
