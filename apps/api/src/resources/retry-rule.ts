import type { Row, Tx } from "@gantry/db";
import type { InputOf, RequestType } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import type { Caller, Owned } from "../http/auth/caller.js";

interface Retry<Type extends RequestType> {
  caller: Caller;
  db: Tx;
  env: Env;
  /** The id of the record on which the failed Request worked. */
  id: string;
  input: InputOf<Type>;
  /** Lets the retry have another input than the failed Request. */
  changeInput(input: InputOf<Type>): void;
}

/**
 * What a retry requires of today's caller, records and settings: the rules of the endpoint that created the failed
 * Request. It throws what they throw, and locks rows in the same order.
 */
export type RetryRule<Type extends RequestType> = (retry: Retry<Type>) => Promise<unknown>;

/** For types without further rules: every retry already checks the access, the record, and what that needs. */
export const noFurtherRules = async (): Promise<void> => {};

/** The rule of the failed Request's record, which stays locked until the transaction ends. */
export function locked<M extends Owned>(
  model: M,
  rule: (db: Tx, row: Row<M>) => Promise<void>,
): RetryRule<RequestType> {
  return async ({ caller, db, id }) => rule(db, await caller.find(model, id, "update"));
}

/** Rules by type; null if no endpoint creates the type, or a Request of it is not retried. */
export type RetryRules = { readonly [Type in RequestType]?: RetryRule<Type> | null };
