import { type Db, insertInto, Prisma, revokeServicesOf, type Tx } from "@gantry/db";
import { repeat } from "@gantry/runtime";
import { v7 as uuidv7 } from "uuid";
import type { Service } from "./service.js";

const INTERVAL_MS = 60_000;

/**
 * Ends every minute the memberships from groups of users who have not signed in at the issuer for OIDC_MEMBERSHIP_DAYS.
 * Several workers may do so at once.
 */
export const groupMemberships: Service<"db" | "log" | "env"> = ({ db, log, env }) =>
  repeat({ everyMs: INTERVAL_MS, log, name: "removal of expired group memberships" }, () =>
    endGroupMemberships(db, env.OIDC_MEMBERSHIP_DAYS),
  ).stop;

/**
 * Ends the memberships from groups of users who have not signed in at the issuer for `days`, as if they had left: the
 * service tokens that they made end too. The accounts' audits record it.
 */
export async function endGroupMemberships(db: Db, days: number): Promise<void> {
  const users = await db.$queryRaw<{ userId: string }[]>`
    SELECT DISTINCT user_id AS "userId" FROM memberships WHERE ${isExpired(days)}`;
  for (const { userId } of users) await db.$transaction((tx) => endMembershipsOf(tx, userId, days));
}

/** Groups grant no ownership, so that no account loses its last one. */
function isExpired(days: number): Prisma.Sql {
  return Prisma.sql`from_groups AND role <> 'owner' AND NOT EXISTS (
    SELECT FROM external_identities i
    WHERE i.user_id = memberships.user_id AND i.signed_in_at > now() - make_interval(days => ${days}::int))`;
}

async function endMembershipsOf(db: Tx, userId: string, days: number): Promise<void> {
  // A sign-in under way holds this lock until its memberships are written.
  await db.$queryRaw`SELECT 1 FROM external_identities WHERE user_id = ${userId}::uuid FOR UPDATE`;
  const ended = await db.$queryRaw<{ id: string; accountId: string }[]>`
    DELETE FROM memberships WHERE user_id = ${userId}::uuid AND ${isExpired(days)}
    RETURNING id, account_id AS "accountId"`;
  for (const { id, accountId } of ended) {
    await revokeServicesOf(db, userId, accountId);
    const act = { action: "end membership", status: 200, accountId, subject: `membership/${id}`, traceId: "" };
    await db.$queryRaw(
      insertInto("pending_audit_records", { id: uuidv7(), ...act, changes: { user: userId, role: "none" } }),
    );
  }
}
