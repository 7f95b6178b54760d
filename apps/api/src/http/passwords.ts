import { hash, verify } from "@node-rs/argon2";

/** The argon2id digest of a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

let dummyHash: Promise<string> | undefined;

/** Compares a password with a digest. A missing user takes the same time, so that no caller can probe for users. */
export async function isPassword(password: string, storedHash: string | undefined): Promise<boolean> {
  dummyHash ??= hash("no user");
  const matches = await verify(storedHash || (await dummyHash), password);
  return matches && Boolean(storedHash);
}
