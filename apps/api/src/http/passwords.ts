import { hash, verify } from "@node-rs/argon2";

/** The argon2id digest of a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

let dummyHash: Promise<string> | undefined;

/** Compares a password with a digest. A missing user takes the same time, so that no caller can probe for users. */
export async function isPassword(password: string, storedHash: string | undefined): Promise<boolean> {
  dummyHash ??= hash("no user");
  // Awaited in every case: a promise that nobody awaits ends the process where it is rejected.
  const other = await dummyHash;
  const matches = await verify(storedHash || other, password);
  return matches && Boolean(storedHash);
}
