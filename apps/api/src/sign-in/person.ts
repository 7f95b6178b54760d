import { lowerServicesOf, type Role, revokeServicesOf, type Tx } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { v7 as uuidv7 } from "uuid";
import type { Audit } from "../http/audit/audit.js";
import { forbidden } from "../http/errors/errors.js";
import type { Person } from "./issuer.js";

type GroupRoles = Env["OIDC_GROUP_ROLES"];
type GroupRole = GroupRoles[number]["role"];

/** From the lowest role to the highest. */
const RANKS: GroupRole[] = ["viewer", "member", "admin"];

/**
 * The user as whom a person signs in: the one of an earlier sign-in, else the one with the e-mail, else a new one.
 *
 * @throws 403 if the user has ended or is not a person
 */
export async function userOf(db: Tx, { issuer, subject, email, name }: Person): Promise<string> {
  const [known] = await db.$queryRaw<{ userId: string; hasEnded: boolean }[]>`
    UPDATE external_identities SET signed_in_at = now() FROM users
    WHERE issuer = ${issuer} AND subject = ${subject} AND users.id = user_id
    RETURNING user_id AS "userId", users.deleted_at IS NOT NULL AS "hasEnded"`;
  if (known?.hasEnded) throw forbidden("your user was deleted");
  if (known) return known.userId;
  const named = await db.user.findUnique({ where: { email, deletedAt: null } });
  if (named?.service) throw forbidden("your e-mail address belongs to a service, which cannot sign in");
  const { id: userId } = named ?? (await db.user.create({ data: { id: uuidv7(), name, email, passwordHash: "" } }));
  await db.$executeRaw`
    INSERT INTO external_identities (issuer, subject, user_id) VALUES (${issuer}, ${subject}, ${userId}::uuid)`;
  return userId;
}

/**
 * Assigns a user the highest role of its groups in each account that the settings name, and removes those that its
 * groups no longer grant. Memberships that people made stay.
 */
export async function applyGroups(
  db: Tx,
  audit: Audit,
  act: { userId: string; action: string },
  groups: string[],
  groupRoles: GroupRoles,
): Promise<void> {
  const { userId } = act;
  const roles = rolesOf(groups, groupRoles);
  const memberships = await db.membership.findMany({ where: { userId } });
  const accounts = new Set([...roles.keys(), ...memberships.map(({ accountId }) => accountId)]);
  const existing = await db.account.findMany({ where: { id: { in: [...accounts] } }, orderBy: { id: "asc" } });
  for (const { id: accountId } of existing) {
    const role = roles.get(accountId);
    const membership = memberships.find((other) => other.accountId === accountId);
    if (membership ? !membership.fromGroups || membership.role === role : !role) continue;
    const id = membership?.id ?? uuidv7();
    if (!role) {
      await db.membership.delete({ where: { id } });
      await revokeServicesOf(db, userId, accountId);
    } else {
      const data = { role: role as Role, fromGroups: true };
      await lowerServicesOf(
        db,
        await db.membership.upsert({ where: { id }, create: { id, accountId, userId, ...data }, update: data }),
      );
    }
    const changes = { role: role ?? "none" };
    await audit.write(db, { ...act, status: 200, accountId, subject: `membership/${id}`, changes });
  }
}

function rolesOf(groups: string[], groupRoles: GroupRoles): Map<string, GroupRole> {
  const roles = new Map<string, GroupRole>();
  for (const { group, account, role } of groupRoles) {
    const other = roles.get(account);
    const isHigher = other === undefined || RANKS.indexOf(role) > RANKS.indexOf(other);
    if (groups.includes(group) && isHigher) roles.set(account, role);
  }
  return roles;
}
