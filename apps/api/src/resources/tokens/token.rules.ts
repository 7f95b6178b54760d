import {
  lowerServicesOf,
  type Membership,
  type Prisma,
  type RevokedToken,
  revokeFamilies,
  revokeServicesOf,
  type Token,
  type Tx,
} from "@gantry/db";
import { field, type ScopeName, scopeNames, storedScope } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import type { Identities } from "../../http/auth/identities.js";
import { mintToken } from "../../http/auth/tokens.js";
import type { Context } from "../../http/endpoint.js";
import { conflict, forbidden, HttpError, invalid, notFound, unauthorized } from "../../http/errors/errors.js";
import { flag, instant, strict } from "../../http/input/input.js";
import { singleLine } from "../../http/input/names.js";
import { uuidOf } from "../../http/input/references.js";
import { canonicalBlock, cidrContains } from "../networks/network.cidr.js";

/** The scopes of a token whose input has none: neither secrets nor the management of members and providers. */
const DEFAULT_SCOPES: ScopeName[] = ["read", "write"];
const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 90;
const MAX_DAYS = 365;
const MAX_LIVING = 100;
const MAX_EXCHANGED = 1000;
/** Tokens outlive the console session that creates them, so a cookie that is stolen later must create none. */
const NEW_SESSION_MINUTES = 15;
const EXCHANGED_MS = 60 * 60 * 1000;

const cidr = field(
  z.string().refine((text) => canonicalBlock(text) === text, "must be a CIDR block, such as 192.0.2.0/24"),
  "192.0.2.0/24",
);

/** The scopes of a new token, the addresses from which it may be used, and its expiry. */
export const tokenAttributes = {
  name: field(singleLine(100), "deploys"),
  scopes: z.array(scopeNames).min(1).default(DEFAULT_SCOPES),
  expires_at: instant.optional().describe(`${DEFAULT_DAYS} days from now if omitted; at most ${MAX_DAYS} days`),
  cidrs: limitedTo(cidr).describe("The CIDR blocks from which it can be used; from anywhere if omitted"),
};

/** The values to which a token is limited. An empty list would read as a limit, and be none. */
function limitedTo<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .min(1, "must not be empty; omit it for no limit")
    .max(50)
    .optional()
    .transform((values) => values ?? []);
}

export const tokenInput = strict({
  ...tokenAttributes,
  name: tokenAttributes.name.default("unnamed"),
  accounts: limitedTo(uuidOf("accounts")).describe("The accounts it is limited to; all of the user's if omitted"),
});

/** The limits of a new token. */
export interface TokenLimits {
  name: string;
  scopes: ScopeName[];
  expires_at?: string | undefined;
  cidrs: string[];
  accounts: string[];
}

/** The identities that exchange their tokens for those of a service. */
export type Trust = Pick<Prisma.TokenUncheckedCreateInput, "trustedIssuer" | "trustedSubject" | "trustedAudience">;

/** The limits of a token whose input has none. */
export const usualLimits: TokenLimits = { name: "unnamed", scopes: DEFAULT_SCOPES, cidrs: [], accounts: [] };

/**
 * Stores a new token of a user. A token that another token creates is limited by it, in scopes, accounts, addresses and
 * time, and is revoked with it. A service's token may last longer than the token that created it, and every token longer
 * than the console session that did: it then ends no later than the session's own maker.
 *
 * @param maker absent if the user signed in
 * @returns the token's text, which is shown once, and its row
 * @throws 403, 404 or 422 if the token would exceed its maker's or the longest time, 403 if the maker is a console
 * session that is no longer new, 409 if the user has too many
 */
export async function createToken(
  db: Tx,
  identities: Identities,
  userId: string,
  { trust, ...limits }: TokenLimits & { trust?: Trust | undefined },
  maker?: Caller,
): Promise<{ text: string; row: Token }> {
  if (maker) requireWithin(maker, limits);
  // The lock prevents two calls from exceeding the limit together.
  await lockUser(db, userId);
  const parent = maker && (await lockParent(db, maker.token.tokenId));
  if (parent?.session && !parent.isNew) throw signInAgain();
  if (!maker) await requireAccountsOf(db, userId, limits.accounts);
  const outlivesMaker = maker && maker.user.id !== userId && !maker.user.service;
  const makersEnd = parent?.session ? parent.makersEnd : (maker?.token.expiresAt ?? null);
  const expiresAt = endOf(limits.expires_at, outlivesMaker ? null : makersEnd);
  const count = await db.token.count({
    where: { userId, identitySubject: null, session: false, ...living() },
  });
  if (count >= MAX_LIVING)
    throw conflict(`you already have ${MAX_LIVING} active tokens, the maximum; revoke one first`);
  const { name, scopes, accounts, cidrs } = limits;
  return storeToken(db, identities, {
    userId,
    name,
    scopes: [...new Set(scopes)].map(storedScope),
    parentId: maker?.token.tokenId ?? null,
    accountIds: accounts.length > 0 || !maker ? accounts : [...maker.token.accountIds],
    cidrs: cidrs.length > 0 || !maker ? cidrs : [...maker.token.cidrs],
    expiresAt,
    ...trust,
  });
}

/**
 * Stores a token for a pipeline whose identity a service token trusts. It ends within an hour, has the limits of the
 * service token, and is revoked with it. Removes tokens of the service that were exchanged and ended a day ago.
 *
 * @returns the token's text, which is shown once, and its row
 * @throws 401 if the service token was revoked meanwhile, 409 if too many of its exchanged tokens are active
 */
export async function exchangeToken(
  db: Tx,
  identities: Identities,
  { id: parentId, userId, name, scopes, accountIds, cidrs, expiresAt }: Token,
  identitySubject: string,
): Promise<{ text: string; row: Token }> {
  await lockUser(db, userId);
  await lockParent(db, parentId);
  await db.$executeRaw`
    DELETE FROM tokens WHERE id IN (
      SELECT id FROM tokens WHERE user_id = ${userId}::uuid AND identity_subject IS NOT NULL
        AND expires_at < now() - interval '1 day' LIMIT 100)`;
  const count = await db.token.count({ where: { userId, identitySubject: { not: null }, ...living() } });
  if (count >= MAX_EXCHANGED)
    throw conflict(`${MAX_EXCHANGED} exchanged tokens of this service are active, the maximum; try again in an hour`);
  const end = Math.min(Date.now() + EXCHANGED_MS, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const limits = { scopes, accountIds, cidrs, expiresAt: new Date(end) };
  return storeToken(db, identities, { userId, name, parentId, identitySubject, ...limits });
}

/** The condition that a token is neither revoked nor expired. */
function living() {
  return { deletedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
}

/** Locks a user until the transaction ends, so that calls count the user's tokens one after the other. */
export async function lockUser(db: Tx, userId: string): Promise<void> {
  await db.$queryRaw`SELECT id FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
}

/** Stores a token with a new text, which only the caller gets. */
export async function storeToken(
  db: Tx,
  identities: Identities,
  data: Omit<Prisma.TokenUncheckedCreateInput, "id" | "digest">,
): Promise<{ text: string; row: Token }> {
  const text = mintToken();
  return { text, row: await db.token.create({ data: { id: uuidv7(), digest: identities.digest(text), ...data } }) };
}

/** @throws 404 if the user, who signs in, is no member of one of the accounts; staff reaches all that exist */
async function requireAccountsOf(db: Tx, userId: string, accountIds: string[]): Promise<void> {
  if (accountIds.length === 0) return;
  const reached = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM accounts WHERE id = ANY(${accountIds}::uuid[]) AND (
      id IN (SELECT account_id FROM memberships WHERE user_id = ${userId}::uuid)
      OR (SELECT staff FROM users WHERE id = ${userId}::uuid))`;
  const other = accountIds.find((id) => !reached.some((account) => account.id === id));
  if (other !== undefined) throw notFound({ model: "account", id: other });
}

interface Parent {
  session: boolean;
  /** Whether its user has signed in a short while ago. */
  isNew: boolean;
  /** When the token that made it ends. */
  makersEnd: Date | null;
}

/** @throws 401 if the parent was revoked meanwhile; a later revocation waits, and finds the new token */
export async function lockParent(db: Tx, id: string): Promise<Parent> {
  const [parent] = await db.$queryRaw<Parent[]>`
    SELECT t.session, t.created_at > now() - make_interval(mins => ${NEW_SESSION_MINUTES}) AS "isNew",
      maker.expires_at AS "makersEnd"
    FROM tokens t LEFT JOIN tokens maker ON maker.id = t.parent_id
    WHERE t.id = ${id}::uuid AND t.deleted_at IS NULL FOR SHARE OF t`;
  if (!parent) throw unauthorized();
  return parent;
}

const signInAgain = () =>
  new HttpError(403, "sign_in_again", [
    `a console session creates tokens only within ${NEW_SESSION_MINUTES} minutes of its sign-in; sign in again`,
  ]);

function endOf(wanted: string | undefined, makersEnd: Date | null): Date {
  const now = Date.now();
  const latest = Math.min(now + MAX_DAYS * DAY_MS, makersEnd?.getTime() ?? Number.POSITIVE_INFINITY);
  if (wanted === undefined) return new Date(Math.min(now + DEFAULT_DAYS * DAY_MS, latest));
  const end = new Date(wanted);
  if (end.getTime() <= now) throw invalid("token.expires_at", "must be in the future");
  if (end.getTime() > latest)
    throw invalid("token.expires_at", `must not be later than ${new Date(latest).toISOString()}`);
  return end;
}

function requireWithin(maker: Caller, { scopes, accounts, cidrs }: TokenLimits): void {
  maker.requireScope("write");
  const more = scopes.filter((scope) => !maker.hasScope(scope));
  if (more.length > 0) throw forbidden(`your token lacks these scopes, so it cannot grant them: ${more.join(", ")}`);
  const { accountIds, cidrs: makersCidrs } = maker.token;
  const other = accounts.find(
    (id) => !(maker.accountIds.includes(id) || (maker.user.staff && accountIds.length === 0)),
  );
  if (other !== undefined) throw notFound({ model: "account", id: other });
  const wider = cidrs.find(
    (block) => makersCidrs.length > 0 && !makersCidrs.some((outer) => cidrContains(outer, block)),
  );
  if (wider !== undefined)
    throw invalid("token.cidrs", `${wider} contains addresses from which your token cannot be used`);
}

/** A person who leaves would keep access. */
export const NOT_ONES_OWN = "you cannot keep service tokens when you remove yourself; omit `keep_service_tokens`";

const KEEP = "True to keep the service tokens created with the user's tokens";

/** Whether to keep the service tokens that the tokens made, for what runs without a person, in a query. */
export const keepServiceTokens = flag.describe(KEEP);

/** The same in a body. */
export const keepServiceTokensInBody = z.boolean().default(false).describe(KEEP);

/**
 * Revokes tokens and those that they made, with effect at once in this process. The audit of each account whose
 * services end records it.
 */
export async function revokeTokens(
  { db, ...context }: RevocationContext,
  roots: Prisma.Sql,
  among?: Prisma.Sql,
): Promise<void> {
  afterRevocation(context, await revokeFamilies(db, roots, among));
}

/** Revokes the service tokens of an account that a user's tokens made. */
export async function revokeServiceTokens(
  { db, ...context }: RevocationContext,
  userId: string,
  accountId: string,
): Promise<void> {
  afterRevocation(context, await revokeServicesOf(db, userId, accountId));
}

/** Lowers the service tokens of an account that a member's tokens made to the member's role. */
export async function lowerServiceTokens(
  { db, onCommit, identities }: Pick<RevocationContext, "db" | "onCommit" | "identities">,
  membership: Membership,
): Promise<void> {
  const userIds = await lowerServicesOf(db, membership);
  onCommit(() => {
    for (const userId of userIds) identities.forget(userId);
  });
}

type RevocationContext = Pick<Context<string, unknown, unknown, Caller>, "db" | "onCommit" | "concern" | "identities">;

function afterRevocation(
  { onCommit, concern, identities }: Omit<RevocationContext, "db">,
  revoked: RevokedToken[],
): void {
  concern(revoked.filter(({ service }) => service).flatMap(({ accountIds }) => accountIds));
  onCommit(() => {
    for (const userId of new Set(revoked.map(({ userId }) => userId))) identities.forget(userId);
  });
}

/** The tokens of a user that have not been revoked, the newest first: those that the caller's own token covers. */
export async function livingTokens(db: Tx, caller: Caller, userId: string): Promise<Token[]> {
  const tokens = await db.token.findMany({
    where: { userId, deletedAt: null },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return tokens.filter(({ accountIds }) => caller.covers(accountIds));
}
