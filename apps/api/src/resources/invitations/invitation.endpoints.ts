import { type Invitation, Prisma, Role, type Tx } from "@gantry/db";
import { field, invitation, membership } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, notFound } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { equals, indexed } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, empty, one } from "../../http/reply/reply.js";
import { fetchRows, isValidId } from "../../http/rows/rows.js";
import { requireOwnerFor } from "../memberships/membership.rules.js";
import { listChildren } from "../record-endpoints.js";

const DAYS_OPEN = 14;

export const invitationEndpoints = [
  endpoint({
    route: "POST /accounts/:account/invitations",
    summary: "Invite a user to an account by e-mail address; the response is the same if no such user exists",
    access: "admin",
    transaction: true,
    body: strict({
      invitation: strict({ email: field(z.email().max(320).toLowerCase(), "ada@example.com"), role: z.enum(Role) }),
    }),
    reply: created(invitation),
    handle: async ({ params, body, caller, db }) => {
      const { id: accountId } = await caller.find("account", params.account, "update");
      const { email, role } = body.invitation;
      requireOwnerFor(role, caller, accountId);
      const member = await db.membership.findFirst({ where: { accountId, user: { email } }, select: { id: true } });
      if (member)
        throw conflict("the user is already a member of the account", {
          path: "invitation.email",
          blocking: [`memberships/${member.id}`],
        });
      await db.invitation.updateMany({ where: { accountId, email, deletedAt: null }, data: { deletedAt: new Date() } });
      const expiresAt = new Date(Date.now() + DAYS_OPEN * 24 * 60 * 60 * 1000);
      return db.invitation.create({
        data: { id: uuidv7(), accountId, email, role, userId: caller.user.id, expiresAt },
      });
    },
  }),

  listChildren(
    "GET /accounts/:account/invitations",
    "List an account's open invitations",
    many(invitation),
    "invitation",
    "account",
  ),

  endpoint({
    route: "DELETE /invitations/:invitation",
    summary: "Withdraw an invitation",
    access: "admin",
    reply: empty,
    handle: async ({ params, caller, db }) => {
      const { id } = await caller.find("invitation", params.invitation);
      await end(db, id);
    },
  }),

  endpoint({
    route: "GET /users/current/invitations",
    operation: "listCurrentUserInvitations",
    self: "person",
    summary: "List the open invitations to the caller",
    // The caller cannot see the account yet.
    reply: many(invitation, { filters: { account: indexed(equals(z.uuid(), "account_id")) } }),
    handle: ({ caller }) => ({ model: "invitation" as const, where: pendingFor(caller) }),
  }),

  endpoint({
    route: "POST /invitations/:invitation/accept",
    self: "person",
    summary: "Accept an invitation and become a member of the account",
    access: "own",
    transaction: true,
    reply: one(membership),
    handle: async ({ params, caller, db, onCommit, identities }) => {
      const { id, accountId, role } = await findOwn(db, caller, params.invitation);
      await end(db, id);
      const userId = caller.user.id;
      onCommit(() => identities.forget(userId));
      return db.membership.create({ data: { id: uuidv7(), accountId, userId, role } });
    },
  }),

  endpoint({
    route: "POST /invitations/:invitation/decline",
    self: "person",
    summary: "Decline an invitation",
    access: "own",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db, note }) => {
      const { id, accountId } = await findOwn(db, caller, params.invitation);
      await end(db, id);
      note({ accountId, subject: `invitation/${id}` });
    },
  }),
];

function pendingFor(caller: Caller): Prisma.Sql {
  return Prisma.sql`email = ${caller.user.email} AND deleted_at IS NULL AND expires_at > now()`;
}

async function findOwn(db: Tx, caller: Caller, id: string): Promise<Invitation> {
  if (!isValidId("invitation", id)) throw notFound();
  const statement = Prisma.sql`SELECT * FROM invitations WHERE id = ${id} AND ${pendingFor(caller)} FOR NO KEY UPDATE`;
  const [found] = await fetchRows(db, "invitation", statement);
  if (!found) throw notFound();
  return found;
}

async function end(db: Tx, id: string): Promise<void> {
  const { count } = await db.invitation.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
  if (count === 0) throw conflict("the invitation was already accepted, declined or withdrawn");
}
