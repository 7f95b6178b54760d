import { hash, type KeyObject } from "node:crypto";
import { type Db, Prisma, type Role, type User } from "@gantry/db";
import type { ScopeName } from "@gantry/resources";
import { LRUCache } from "lru-cache";
import type { Identity } from "./caller.js";
import { isWellFormed, tokenDigest } from "./tokens.js";

const CACHE_MS = 4000;
const USE_INTERVAL_MS = 60_000;
/** A token that was valid within this time is not a guess, so the limit of its address does not apply. */
const KNOWN_MS = 3_600_000;

/** The condition by which a row of `memberships` holds for one of `tokens`: there the token acts with the user's role. */
export const ACTS_IN_MEMBERSHIP = Prisma.sql`memberships.user_id = tokens.user_id
  AND (account_ids = '{}' OR account_id = ANY (account_ids))
  AND (tokens.created_at < tokens_valid_from) IS NOT TRUE`;

/** A valid token with its user, and with the user's roles by the accounts in which the token acts. */
interface TokenRow extends Pick<User, "id" | "name" | "email" | "staff" | "service"> {
  tokenId: string;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  isSession: boolean;
  scopes: ScopeName[];
  accountIds: string[];
  cidrs: string[];
  roles: Record<string, Role>;
}

/** The parts of a token that its look-up needs. */
interface TokenKey {
  /** Names the token in this process's cache. Computing a digest takes four times as long. */
  key: string;
  digest(): Buffer<ArrayBuffer>;
}

/** The identities behind tokens, cached for less than five seconds: a revocation takes effect within that time. */
export class Identities {
  readonly digest: (token: string) => Buffer<ArrayBuffer>;
  /** False means a token that is unknown, so that its next use costs no query. */
  private readonly cache: LRUCache<string, Identity | false, TokenKey>;
  /** The keys of tokens that were valid at their last look-up. */
  private readonly known = new LRUCache<string, true>({ max: 10_000, ttl: KNOWN_MS });
  /** The number of changes so far: the result of a look-up that one of them overtook is returned but not cached. */
  private changes = 0;

  constructor(
    private readonly db: Db,
    key: KeyObject,
  ) {
    this.digest = tokenDigest(key);
    this.cache = new LRUCache({
      max: 10_000,
      ttl: CACHE_MS,
      fetchMethod: async (key, _stale, { options, context }) => {
        const { changes } = this;
        const identity = await this.load(key, context.digest());
        if (identity) this.known.set(key, true);
        else this.known.delete(key);
        if (changes !== this.changes) options.ttl = 1;
        return identity;
      },
    });
  }

  /** The key of a token for `find` and `isGuess`, or undefined if the token is malformed. */
  keyOf(token: string): TokenKey | undefined {
    return isWellFormed(token) ? { key: hash("sha256", token), digest: () => this.digest(token) } : undefined;
  }

  /** The identity as it is now; it is never older than five seconds. */
  refresh = ({ key, digest }: Identity): Promise<Identity | undefined> => this.find({ key, digest: () => digest });

  /** The identity behind a token's key, or undefined if it is unknown, expired or revoked. */
  async find(token: TokenKey): Promise<Identity | undefined> {
    const identity = await this.cache.fetch(token.key, { context: token });
    if (!identity) return undefined;
    const isExpired = identity.expiresAt !== null && identity.expiresAt.getTime() <= Date.now();
    return isExpired ? undefined : identity;
  }

  /** Whether a token may be a guess that costs a query: it is not cached, and was not valid within the last hour. */
  isGuess({ key }: TokenKey): boolean {
    return !this.cache.has(key) && !this.known.has(key);
  }

  /** Forgets a user's tokens, so that this process sees a committed change of the user's roles or tokens at once. */
  forget(userId: string): void {
    this.changes++;
    for (const [key, identity] of this.cache.entries())
      if (identity && identity.user.id === userId) this.cache.delete(key);
  }

  private async load(key: string, digest: Buffer<ArrayBuffer>): Promise<Identity | false> {
    // Prisma's own way takes several statements, and would load its query compiler, which doubles the time of a first call.
    const [token] = await this.db.$queryRaw<TokenRow[]>`
      SELECT tokens.id AS "tokenId", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", session AS "isSession",
        cidrs, scopes::text[] AS scopes, account_ids::text[] AS "accountIds", users.id, users.name, email, staff, service,
        (SELECT coalesce(jsonb_object_agg(account_id, role), '{}') FROM memberships WHERE ${ACTS_IN_MEMBERSHIP}) AS roles
      FROM tokens JOIN users ON users.id = user_id
      WHERE digest = ${digest} AND tokens.deleted_at IS NULL AND users.deleted_at IS NULL`;
    if (!token) return false;
    const { tokenId, expiresAt, lastUsedAt, isSession, scopes, accountIds, cidrs, roles, staff, ...user } = token;
    if (Date.now() - (lastUsedAt?.getTime() ?? 0) > USE_INTERVAL_MS) this.recordUse(tokenId);
    return {
      key,
      digest,
      tokenId,
      expiresAt,
      isSession,
      cookie: undefined,
      scopes: new Set(scopes),
      accountIds,
      cidrs,
      // A token that is limited to accounts acts in no others.
      user: { ...user, staff: staff && accountIds.length === 0 },
      roles: new Map(Object.entries(roles)),
    };
  }

  // No reply waits for this write, and a lost one costs nothing.
  private recordUse(id: string): void {
    this.db.$queryRaw`UPDATE tokens SET last_used_at = ${new Date()} WHERE id = ${id}::uuid`.catch(() => {});
  }
}
