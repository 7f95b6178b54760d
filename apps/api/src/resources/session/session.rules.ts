import { type Role, Scope, type Token, type Tx } from "@gantry/db";
import { iso, type Link, scopeName, user } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import { ACTS_IN_MEMBERSHIP, type Identities } from "../../http/auth/identities.js";
import { csrfToken } from "../../http/auth/session-cookie.js";
import type { AppContext } from "../../http/context.js";
import { lockParent, lockUser, storeToken } from "../tokens/token.rules.js";

const HOUR_MS = 60 * 60 * 1000;
const MAX_SESSIONS = 20;
const MAX_ACCOUNTS = 100;

/** The token that a person signs in with; the session is limited by it. */
export type SessionMaker = Pick<Token, "id" | "scopes" | "accountIds" | "cidrs" | "expiresAt">;

/**
 * Stores the token of a console session. The user's oldest session ends if there are too many; the tokens that it created
 * remain. The caller lets the process forget the user after the commit.
 *
 * @param maker absent if the user signed in with a password or at the issuer
 * @returns the token's text, for the cookie, and its row
 * @throws 401 if the maker was revoked meanwhile
 */
export async function createSession(
  db: Tx,
  { identities, env }: { identities: Identities; env: Pick<Env, "CONSOLE_SESSION_HOURS"> },
  userId: string,
  maker?: SessionMaker,
): Promise<{ text: string; row: Token & { expiresAt: Date } }> {
  await lockUser(db, userId);
  if (maker) await lockParent(db, maker.id);
  await db.$executeRaw`
    UPDATE tokens SET deleted_at = now() WHERE id IN (
      SELECT id FROM tokens WHERE user_id = ${userId}::uuid AND session AND deleted_at IS NULL
      ORDER BY created_at DESC, id DESC OFFSET ${MAX_SESSIONS - 1})`;
  const end = Date.now() + env.CONSOLE_SESSION_HOURS * HOUR_MS;
  const expiresAt = new Date(Math.min(end, maker?.expiresAt?.getTime() ?? end));
  const { text, row } = await storeToken(db, identities, {
    userId,
    name: "console",
    session: true,
    parentId: maker?.id ?? null,
    scopes: maker?.scopes ?? Object.values(Scope),
    accountIds: maker?.accountIds ?? [],
    cidrs: maker?.cidrs ?? [],
    expiresAt,
  });
  return { text, row: { ...row, expiresAt } };
}

interface AccountOfSession {
  id: string;
  name: string;
  role: Role;
}

/** Shows the session of a token: its user, and the accounts in which it acts. */
export async function showSession(
  { db, link, keys }: Pick<AppContext, "keys"> & { db: Tx; link: Link },
  tokenId: string,
) {
  const { user: signedIn, ...token } = await db.token.findUniqueOrThrow({
    where: { id: tokenId },
    include: { user: true },
  });
  const { scopes, expiresAt } = token;
  const accounts = await db.$queryRaw<AccountOfSession[]>`
    SELECT accounts.id, accounts.name, role::text
    FROM tokens JOIN memberships ON ${ACTS_IN_MEMBERSHIP} JOIN accounts ON accounts.id = account_id
    WHERE tokens.id = ${tokenId}::uuid
    ORDER BY accounts.name, accounts.id LIMIT ${MAX_ACCOUNTS}`;
  return {
    user: user.serialize(signedIn, link),
    accounts,
    scopes: scopes.map(scopeName),
    // Every session ends.
    expires_at: iso(expiresAt as Date),
    csrf_token: csrfToken(keys.csrf, tokenId),
  };
}
