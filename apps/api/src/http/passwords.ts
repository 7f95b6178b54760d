import { hash, verify } from "@node-rs/argon2";

/** The argon2id digest of a password. */
export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

let dummyHash: Promise<string> | undefined;

/** Takes the same time where there is no such user, so that nobody learns who is one. */
export async function isPassword(password: string, storedHash: string | undefined): Promise<boolean> {
  dummyHash ??= hash("nobody");
  const matches = await verify(storedHash ?? (await dummyHash), password);
  return matches && storedHash !== undefined;
}
