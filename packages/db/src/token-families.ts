import type { Tx } from "./client.js";
import { type Membership, Prisma } from "./generated/client.js";

/** A token that was revoked, of a person or of an account's service. */
export interface RevokedToken {
  userId: string;
  service: boolean;
  accountIds: string[];
}

/**
 * Revokes tokens and those that they made, and ends the services that are left without a token.
 *
 * @param roots a condition on `tokens`: where the families begin
 * @param among a condition on the token `t` and its user `u`: which of the families' tokens are revoked
 */
export async function revokeFamilies(db: Tx, roots: Prisma.Sql, among = Prisma.sql`TRUE`): Promise<RevokedToken[]> {
  const revoked: RevokedToken[] = [];
  for (;;) {
    const rows = await db.$queryRaw<RevokedToken[]>`
      WITH RECURSIVE family AS (
        SELECT id FROM tokens WHERE ${roots}
        UNION SELECT child.id FROM tokens child JOIN family ON child.parent_id = family.id)
      UPDATE tokens t SET deleted_at = now() FROM users u
      WHERE t.id IN (SELECT id FROM family) AND t.deleted_at IS NULL AND u.id = t.user_id AND ${among}
      RETURNING t.user_id AS "userId", u.service, t.account_ids AS "accountIds"`;
    // A token that one of the family made meanwhile shows only once its transaction has ended.
    if (rows.length === 0) break;
    revoked.push(...rows);
  }
  await endServices(db, [...new Set(revoked.filter(({ service }) => service).map(({ userId }) => userId))]);
  return revoked;
}

/** The service tokens for an account that a user's tokens made; with a service's user, those of the service. */
export function revokeServicesOf(db: Tx, userId: string, accountId: string): Promise<RevokedToken[]> {
  const among = Prisma.sql`u.service AND ${accountId}::uuid = ANY(t.account_ids)`;
  return revokeFamilies(db, Prisma.sql`user_id = ${userId}::uuid`, among);
}

/**
 * Lowers the role of the services in an account that a user's tokens made to the role of the user's membership.
 *
 * @returns the ids of the services' users
 */
export async function lowerServicesOf(
  db: Tx,
  { userId, accountId, role }: Pick<Membership, "userId" | "accountId" | "role">,
): Promise<string[]> {
  const lowered: string[] = [];
  for (;;) {
    // The type lists the roles from the highest to the lowest.
    const rows = await db.$queryRaw<{ userId: string }[]>`
      WITH RECURSIVE family AS (
        SELECT id, user_id FROM tokens WHERE user_id = ${userId}::uuid
        UNION SELECT child.id, child.user_id FROM tokens child JOIN family ON child.parent_id = family.id)
      UPDATE memberships m SET role = ${role}::role, updated_at = now() FROM users u
      WHERE m.user_id IN (SELECT user_id FROM family) AND m.account_id = ${accountId}::uuid AND m.role < ${role}::role
        AND u.id = m.user_id AND u.service
      RETURNING m.user_id AS "userId"`;
    // A service that one of these made meanwhile shows only once its transaction has ended.
    if (rows.length === 0) return lowered;
    lowered.push(...rows.map((row) => row.userId));
  }
}

async function endServices(db: Tx, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return;
  const ended = await db.$queryRaw<{ id: string }[]>`
    UPDATE users SET deleted_at = now(), updated_at = now()
    WHERE id = ANY(${userIds}::uuid[]) AND service AND deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM tokens WHERE user_id = users.id AND deleted_at IS NULL)
    RETURNING id`;
  await db.membership.deleteMany({ where: { userId: { in: ended.map(({ id }) => id) } } });
}
