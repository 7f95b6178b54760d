import { type Db, type Model, Prisma, type Role, type Row, type Tx, type User } from "@gantry/db";
import type { ScopeName } from "@gantry/resources";
import { forbidden, notFound, unauthorized } from "../errors/errors.js";
import { requireLive } from "../rows/live-rows.js";
import { fetchByKey, isValidId, type Selection, table, where } from "../rows/rows.js";

/** The header in which staff states its reason to act in an account of which it is not a member. */
export const REASON_HEADER = "Gantry-Reason";

const GIVE_A_REASON = `send your reason in the header ${REASON_HEADER}; the account's owners can read it`;

/** The user behind a token, with the roles of at most five seconds ago. */
export interface Identity {
  /** The key and the digest by which the token is looked up. */
  key: string;
  digest: Buffer<ArrayBuffer>;
  tokenId: string;
  expiresAt: Date | null;
  /** Whether it is the token of a console session. */
  isSession: boolean;
  /** How the console's cookie sent it; undefined if a header did. */
  cookie: { asksForSecrets: boolean } | undefined;
  scopes: ReadonlySet<ScopeName>;
  /** The only accounts in which the token acts; all of the user's if empty. */
  accountIds: readonly string[];
  /** The only blocks of addresses from which the token acts; all if empty. */
  cidrs: readonly string[];
  user: Pick<User, "id" | "name" | "email" | "staff" | "service">;
  roles: ReadonlyMap<string, Role>;
}

/** The key of limits: a user's tokens share them, and so do the services of an account. */
export function limitKeyOf({ user, roles }: Identity): string {
  return user.service ? ([...roles.keys()][0] ?? user.id) : user.id;
}

/**
 * The access that an endpoint requires: a scope of the token, and a role in every account of the rows it finds. `own` is
 * for changes of what is the caller's own, such as its membership: the scope `write` or `admin`, and any role.
 */
export type Access = "read" | "own" | "write" | "admin";

const ROLES: Record<Access, readonly Role[]> = {
  own: ["owner", "admin", "member", "viewer"],
  read: ["owner", "admin", "member", "viewer"],
  write: ["owner", "admin", "member"],
  admin: ["owner", "admin"],
};

/** Models whose rows belong to an account, and the account itself. */
export type Owned =
  | { [M in Model]: Row<M> extends { id: string | number; accountId: string } ? M : never }[Model]
  | "account";

/** Models whose rows stay when their records are deleted. */
export type Deletable = {
  [M in Owned]: Row<M> extends { id: string | number; deletedAt: Date | null } ? M : never;
}[Owned];

/** The authenticated caller of an endpoint. It finds rows only in accounts where its role allows the endpoint's access. */
export class Caller {
  /** The last row that was looked up and found, for the audit. */
  lastFound: { model: Owned; id: string; accountId: string } | undefined;

  /** @param reason a staff member's reason to act in accounts of which it is not a member */
  constructor(
    private identity: Identity,
    private readonly access: Access,
    private readonly db: Db | Tx,
    private readonly reason?: string,
  ) {}

  get user(): Identity["user"] {
    return this.identity.user;
  }

  /** The token that this caller uses. */
  get token(): Pick<Identity, "tokenId" | "expiresAt" | "isSession" | "accountIds" | "cidrs"> {
    return this.identity;
  }

  /** True if the console's cookie authenticates the call. */
  get usesCookie(): boolean {
    return this.identity.cookie !== undefined;
  }

  /** False for a call with the console's cookie that does not ask for secrets, such as the opening of a page. */
  get asksForSecrets(): boolean {
    return this.identity.cookie?.asksForSecrets ?? true;
  }

  /**
   * Looks the token up again, for a call that lasts longer than an identity may be old.
   *
   * @throws 401 if it was revoked or has ended
   */
  async renew(find: (identity: Identity) => Promise<Identity | undefined>): Promise<void> {
    const found = await find(this.identity);
    if (!found) throw unauthorized();
    this.identity = { ...found, cookie: this.identity.cookie };
  }

  hasScope(scope: ScopeName): boolean {
    return this.identity.scopes.has(scope);
  }

  /** @throws 403 if the token lacks the scope for the access */
  requireScope(access: Access): void {
    if (access === "own" && this.hasScope("admin")) return;
    const scope = access === "own" ? "write" : access;
    if (!this.hasScope(scope)) throw forbidden(`the token lacks the scope ${scope}`);
  }

  /**
   * @throws 403 if the token is a service's or limited to accounts: what belongs to a person reaches beyond these
   * limits
   */
  requirePerson(): void {
    if (this.user.service)
      throw forbidden("a service token belongs to an account, not to a person; use a person's token");
    if (this.identity.accountIds.length > 0)
      throw forbidden("this token is limited to certain accounts; use a token without that limit for your own user");
  }

  /** @throws 403 unless the caller is staff and states its reason */
  requireStaff(refusal: string): void {
    if (!this.user.staff) throw forbidden(refusal);
    if (this.reason === undefined) throw forbidden(GIVE_A_REASON);
  }

  /** @throws 403 unless the caller is this user, with a person's unlimited token, or staff that states its reason */
  requireSelf(userId: string, refusal: string): void {
    if (userId === this.user.id) this.requirePerson();
    else this.requireStaff(refusal);
  }

  /** True if the token may act in every account of this list; an empty list means all accounts of its user. */
  covers(accountIds: readonly string[]): boolean {
    const { accountIds: own } = this.identity;
    return own.length === 0 || (accountIds.length > 0 && accountIds.every((id) => own.includes(id)));
  }

  /** @throws 403 if the token lacks the scope, or the caller the role in the account, for the access */
  require(access: Access, accountId: string): void {
    this.requireScope(access);
    this.requireRole(access, accountId);
  }

  private requireRole(access: Access, accountId: string): void {
    if (!this.may(access, accountId)) throw forbidden(this.refusalIn(accountId));
  }

  /** The accounts of the caller's memberships; staff sees others too. */
  get accountIds(): string[] {
    return [...this.identity.roles.keys()];
  }

  isOwner(accountId: string): boolean {
    return this.actsAsStaff(accountId) || this.identity.roles.get(accountId) === "owner";
  }

  /** True if the account exists for this caller. */
  sees(accountId: string): boolean {
    return this.user.staff || this.identity.roles.has(accountId);
  }

  /**
   * True if the caller has a role for `access` in the account; staff without one has stated a reason for more than
   * reading.
   */
  may(access: Access, accountId: string): boolean {
    return this.actsAsStaff(accountId)
      ? access === "read" || this.reason !== undefined
      : ROLES[access].includes(this.identity.roles.get(accountId) as Role);
  }

  /** True if the caller's token and role allow it to administer the account. */
  administers(accountId: string): boolean {
    return this.hasScope("admin") && this.may("admin", accountId);
  }

  /** Returns the condition that the caller administers the account of a row. */
  administered(): Prisma.Sql {
    const isAdmin = (id: string) => this.administers(id);
    const ids = this.accountIds.filter(isAdmin);
    if (!this.user.staff || !this.hasScope("admin") || this.reason === undefined)
      return Prisma.sql`account_id = ANY(${ids}::uuid[])`;
    const others = this.accountIds.filter((id) => !isAdmin(id));
    return Prisma.sql`account_id <> ALL(${others}::uuid[])`;
  }

  /** True if the caller is staff and not a member of the account. */
  actsAsStaff(accountId: string): boolean {
    return this.user.staff && !this.identity.roles.has(accountId);
  }

  /**
   * The row with this id.
   *
   * @param lock prevents changes of the row, or with `share` only its removal, until the transaction ends
   * @throws 404 if the caller's accounts do not have the row, 403 if the role does not allow the access
   */
  find<M extends Owned>(model: M, id: string | number, lock?: "update" | "share"): Promise<Row<M>> {
    const locking = lock ? Prisma.raw(lock === "update" ? "FOR NO KEY UPDATE" : "FOR SHARE") : Prisma.empty;
    return this.fetch(model, id, Prisma.empty, locking);
  }

  /** As `find`. @throws 409 also if the record was deleted */
  async findLive<M extends Deletable>(model: M, id: string | number, lock?: "update" | "share"): Promise<Row<M>> {
    const row = await this.find(model, id, lock);
    requireLive(model, row as Row<Deletable>);
    return row;
  }

  /** The row with this id, and in the same query the value of a subquery on it, as `extra`. */
  findWithExtra<Extra, M extends Owned = Owned>(
    model: M,
    id: string | number,
    extra: Prisma.Sql,
  ): Promise<Row<M> & { extra: Extra }> {
    return this.fetch(model, id, Prisma.sql`, (${extra}) AS extra`, Prisma.empty) as Promise<Row<M> & { extra: Extra }>;
  }

  private async fetch<M extends Owned>(
    model: M,
    id: string | number,
    extraColumns: Prisma.Sql,
    locking: Prisma.Sql,
  ): Promise<Row<M>> {
    if (!isValidId(model, id)) throw notFound({ model, id });
    const statement = Prisma.sql`SELECT *${extraColumns} FROM ${table(model)} WHERE id = ${id} ${locking}`;
    const [row] = await fetchByKey(this.db, model, statement);
    if (!row) throw notFound({ model, id });
    const accountId = model === "account" ? String(row.id) : (row as { accountId: string }).accountId;
    if (!this.sees(accountId)) throw notFound({ model, id });
    this.lastFound = { model, id: String(row.id), accountId };
    this.requireRole(this.access, accountId);
    return row;
  }

  private refusalIn(accountId: string): string {
    return this.actsAsStaff(accountId)
      ? `you are not a member of this account; ${GIVE_A_REASON}`
      : "your role in this account does not permit this operation";
  }

  /** Returns the condition that the caller may see a row with an account. */
  get visible(): Prisma.Sql {
    return this.user.staff ? Prisma.sql`TRUE` : Prisma.sql`account_id = ANY(${this.accountIds})`;
  }

  /** All rows of a model that the caller sees. */
  all<M extends Owned>(model: M): Selection<M> {
    const { accountIds, user } = this;
    if (model === "account")
      return (user.staff ? where("account", {}) : where("account", { id: accountIds })) as Selection<M>;
    if (!user.staff && accountIds.length === 1)
      return { model, where: Prisma.sql`account_id = ${accountIds[0]}::uuid`, within: ["account_id"] };
    const each = user.staff
      ? Prisma.sql`SELECT id AS scope_account FROM accounts`
      : Prisma.sql`SELECT unnest(${accountIds}::uuid[]) AS scope_account`;
    return { model, each, where: Prisma.sql`account_id = scope_account`, within: ["account_id"] };
  }
}
