import { hash, randomBytes } from "node:crypto";
import type { Db, SignInCode, Tx } from "@gantry/db";
import type { Identities } from "../../http/auth/identities.js";
import { HttpError } from "../../http/errors/errors.js";

/** A terminal that waits for a code, as RFC 8252 and PKCE describe it. */
export interface Terminal {
  /** Where the terminal listens, on the machine of the browser. */
  redirectUri: string;
  /** The digest of the verifier that only the terminal knows. */
  challenge: string;
}

/** In place of the redirect of a code that opens the console; no terminal may send it. */
const CONSOLE = "console";

interface SignedIn extends Terminal {
  userId: string;
  issuer: string;
}

/** Stores a code with which a browser on this machine opens the console. As `createSignInCode`. */
export function createConsoleCode(db: Tx, digests: Digests, userId: string): Promise<string> {
  return createSignInCode(db, digests, { userId, issuer: "", challenge: "", redirectUri: CONSOLE });
}

/** Uses a code of `createConsoleCode` up. Returns the id of its user. @throws 401 if it is unknown, used or expired */
export async function useConsoleCode(db: Tx, digests: Digests, code: string): Promise<string> {
  const [row] = await db.$queryRaw<{ userId: string }[]>`
    UPDATE sign_in_codes SET used_at = now()
    WHERE digest = ${digests.digest(code)} AND redirect_uri = ${CONSOLE} AND used_at IS NULL AND expires_at > now()
    RETURNING user_id AS "userId"`;
  if (!row) throw refused("this code is unknown, was already used or has expired", "one-time link");
  await requireLiving(db, row.userId);
  return row.userId;
}

type Digests = Pick<Identities, "digest">;

/** Stores a code that is valid once, for a minute. Returns its text, of which only a keyed digest is kept. */
export async function createSignInCode(db: Tx, digests: Digests, signedIn: SignedIn): Promise<string> {
  const { userId, issuer, challenge, redirectUri } = signedIn;
  const code = randomBytes(32).toString("base64url");
  await db.$executeRaw`
    DELETE FROM sign_in_codes WHERE digest IN (
      SELECT digest FROM sign_in_codes WHERE expires_at < now() - interval '1 hour' LIMIT 100 FOR UPDATE SKIP LOCKED)`;
  await db.$executeRaw`
    INSERT INTO sign_in_codes (digest, user_id, issuer, challenge, redirect_uri, expires_at)
    VALUES (${digests.digest(code)}, ${userId}::uuid, ${issuer}, ${challenge}, ${redirectUri},
      now() + interval '1 minute')`;
  return code;
}

/**
 * Returns the sign-in behind a code, which may be used or expired. A code that comes with a wrong verifier or another
 * redirect is used up.
 *
 * @throws 401 if the code is unknown, or the verifier or the redirect is not the sign-in's
 */
export async function findSignIn(
  db: Db | Tx,
  identities: Identities,
  given: { code: string; code_verifier: string; redirect_uri: string },
): Promise<SignInCode> {
  const digest = identities.digest(given.code);
  const row = await db.signInCode.findUnique({ where: { digest } });
  if (!row) throw refused("this code is unknown");
  const problem =
    hash("sha256", given.code_verifier, "base64url") !== row.challenge
      ? "`code_verifier` does not belong to the `code_challenge` of this sign-in"
      : given.redirect_uri !== row.redirectUri
        ? "`redirect_uri` is not the one of this sign-in"
        : undefined;
  if (problem === undefined) return row;
  await useUp(db, digest);
  throw refused(problem);
}

/** @throws 401 if the code was used before or has expired, or if its user has ended */
export async function useSignIn(db: Tx, { digest, userId, usedAt }: SignInCode): Promise<void> {
  if (!(await useUp(db, digest))) throw refused(usedAt ? "this code was already used" : "this code has expired");
  await requireLiving(db, userId);
}

/** @throws 401 if the user has ended; a later end waits */
async function requireLiving(db: Tx, userId: string): Promise<void> {
  const living = await db.$queryRaw<unknown[]>`
    SELECT id FROM users WHERE id = ${userId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`;
  if (living.length === 0) throw refused("your user was deleted");
}

async function useUp(db: Db | Tx, digest: SignInCode["digest"]): Promise<boolean> {
  const count = await db.$executeRaw`
    UPDATE sign_in_codes SET used_at = now() WHERE digest = ${digest} AND used_at IS NULL AND expires_at > now()`;
  return count === 1;
}

function refused(reason: string, failedSignIn = "OpenID Connect"): HttpError {
  return new HttpError(401, "unauthorized", [`${reason}; sign in again`], { failedSignIn });
}
