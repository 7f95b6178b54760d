import { AsyncLocalStorage } from "node:async_hooks";
import { hash, verify } from "@node-rs/argon2";
import pLimit from "p-limit";

/** The passwords that are hashed at once in a process: argon2 keeps a core and 19 MiB busy for each. */
export const hashingLimit = pLimit(2);

const transactions = new AsyncLocalStorage<true>();

/** Runs `work`, in which no password can be hashed: a transaction holds a connection that others wait for. */
export function withoutHashing<T>(work: () => Promise<T>): Promise<T> {
  return transactions.run(true, work);
}

/** Returns the argon2id digest of a password. Throws inside a transaction: use an endpoint's `prepare`. */
export function hashPassword(password: string): Promise<string> {
  return hashing(() => hash(password));
}

let dummyHash: Promise<string> | undefined;

/**
 * Compares a password with a digest. A missing user takes the same time, so that no caller can probe for users. Throws
 * inside a transaction, as `hashPassword` does.
 */
export async function isPassword(password: string, storedHash: string | undefined): Promise<boolean> {
  dummyHash ??= hashPassword("no user");
  // Awaited in every case: a promise that is not awaited ends the process if it is rejected.
  const other = await dummyHash;
  const matches = await hashing(() => verify(storedHash || other, password));
  return matches && Boolean(storedHash);
}

async function hashing<T>(work: () => Promise<T>): Promise<T> {
  if (transactions.getStore())
    throw new Error("passwords must not be hashed inside a transaction; hash them in `prepare`");
  return hashingLimit(work);
}
