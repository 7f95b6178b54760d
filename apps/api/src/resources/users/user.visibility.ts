import { Prisma, type Tx, type User } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { notFound } from "../../http/errors/errors.js";
import { fetchRows, isValidId, type Selection, where } from "../../http/rows/rows.js";

/** The users that a caller sees: the caller itself and the users who share an account with it. */
export function visibleUsers(caller: Caller): Selection<"user"> {
  if (caller.user.staff) return where("user", { deletedAt: null });
  const inAccounts = Prisma.sql`SELECT user_id FROM memberships WHERE account_id = ANY(${caller.accountIds})`;
  return { model: "user", where: Prisma.sql`(id = ${caller.user.id} OR id IN (${inAccounts}))` };
}

/** @throws 404 if the caller cannot see the user */
export async function findVisibleUser(db: Tx, caller: Caller, id: string): Promise<User> {
  if (!isValidId("user", id)) throw notFound({ model: "user", id });
  const { where: visible } = visibleUsers(caller);
  const [user] = await fetchRows(db, "user", Prisma.sql`SELECT * FROM users WHERE id = ${id} AND ${visible}`);
  if (!user) throw notFound({ model: "user", id });
  return user;
}

/** The accounts of a user's memberships, whose administrators see what is done to the user. */
export async function accountIdsOf(db: Tx, userId: string): Promise<string[]> {
  const memberships = await db.membership.findMany({ where: { userId }, select: { accountId: true } });
  return memberships.map(({ accountId }) => accountId);
}
