import { type Membership, Role, type Tx } from "@gantry/db";
import { field, membership } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { type Context, endpoint } from "../../http/endpoint.js";
import { conflict, forbidden, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import { equals, indexed } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, empty, one } from "../../http/reply/reply.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { keepServiceTokens, lowerServiceTokens, NOT_ONES_OWN, revokeServiceTokens } from "../tokens/token.rules.js";
import { requireOwnerFor } from "./membership.rules.js";

const role = z.enum(Role);

const list = many(membership, {
  filters: { user: indexed(equals(z.uuid(), "user_id")) },
});

const membershipInput = strict({ email: field(z.string().max(320).toLowerCase(), "ada@example.com"), role });

const OTHERS_INVITE = "only staff can add members directly; invite the user with POST /accounts/:account/invitations";

export const membershipEndpoints = [
  listRecords("GET /memberships", "List the members of the caller's accounts with their roles", list, "membership"),

  endpoint({
    route: "POST /memberships",
    summary: "Add a user to the account in the body; staff only, others send invitations",
    access: "admin",
    staffOnly: OTHERS_INVITE,
    transaction: true,
    body: strict({ account: uuidOf("accounts"), membership: membershipInput }),
    reply: created(membership),
    handle: ({ body, ...context }) => addMember(context, body.account, body.membership),
  }),

  listChildren(
    "GET /accounts/:account/memberships",
    "List an account's members with their roles",
    list,
    "membership",
    "account",
  ),

  endpoint({
    route: "POST /accounts/:account/memberships",
    summary: "Add a user to an account; staff only, others send invitations",
    access: "admin",
    staffOnly: OTHERS_INVITE,
    transaction: true,
    body: strict({ membership: membershipInput }),
    reply: created(membership),
    handle: ({ params, body, ...context }) => addMember(context, params.account, body.membership),
  }),

  showRecord("GET /memberships/:membership", "Show a membership", one(membership), "membership"),

  endpoint({
    route: "PUT /memberships/:membership",
    summary: "Change a member's role; the role also limits the service tokens that the member created",
    access: "admin",
    transaction: true,
    body: strict({ membership: strict({ role }) }),
    reply: one(membership),
    handle: async ({ params, body, caller, ...context }) => {
      const { db, onCommit, identities } = context;
      const found = await findLockedWithAccount(caller, params.membership);
      requireOwnerFor(body.membership.role, caller, found.accountId);
      if (body.membership.role !== "owner") await requireOtherOwner(db, caller, found, "membership.role");
      onCommit(() => identities.forget(found.userId));
      // The groups of a sign-in no longer change a membership that a person decided on.
      const data = { ...body.membership, fromGroups: false };
      const changed = await db.membership.update({ where: { id: found.id }, data });
      await lowerServiceTokens(context, changed);
      return changed;
    },
  }),

  endpoint({
    route: "DELETE /memberships/:membership",
    summary:
      "Leave an account, or, as an administrator, remove a member; also revokes the service tokens that the member created",
    access: "own",
    transaction: true,
    query: { keep_service_tokens: keepServiceTokens },
    reply: empty,
    handle: async ({ params, query, caller, ...context }) => {
      const { db, onCommit, identities } = context;
      const membership = await findLockedWithAccount(caller, params.membership);
      if (membership.userId !== caller.user.id) caller.require("admin", membership.accountId);
      await requireOtherOwner(db, caller, membership);
      if (query.keep_service_tokens && membership.userId === caller.user.id) throw forbidden(NOT_ONES_OWN);
      await db.membership.delete({ where: { id: membership.id } });
      if (!query.keep_service_tokens) await revokeServiceTokens(context, membership.userId, membership.accountId);
      onCommit(() => identities.forget(membership.userId));
    },
  }),

  endpoint({
    route: "POST /memberships/:membership/revoke-tokens",
    operation: "revokeMembershipTokens",
    summary: "Revoke a member's existing tokens in the account, and the service tokens that they created",
    access: "admin",
    transaction: true,
    query: { keep_service_tokens: keepServiceTokens },
    reply: one(membership),
    handle: async ({ params, query, caller, ...context }) => {
      const { db, onCommit, identities } = context;
      const membership = await findLockedWithAccount(caller, params.membership);
      if (membership.role === "owner" && !caller.isOwner(membership.accountId))
        throw forbidden("only an owner can revoke the tokens of owners");
      onCommit(() => identities.forget(membership.userId));
      const changed = await db.membership.update({
        where: { id: membership.id },
        data: { tokensValidFrom: new Date() },
      });
      if (!query.keep_service_tokens) await revokeServiceTokens(context, membership.userId, membership.accountId);
      return changed;
    },
  }),
];

async function addMember(
  {
    caller,
    db,
    onCommit,
    identities,
  }: Pick<Context<string, unknown, unknown, Caller>, "caller" | "db" | "onCommit" | "identities">,
  account: string,
  { email, role }: z.output<typeof membershipInput>,
): Promise<Membership> {
  const { id: accountId } = await caller.find("account", account, "update");
  caller.requireStaff(OTHERS_INVITE);
  requireOwnerFor(role, caller, accountId);
  const user = await db.user.findUnique({ where: { email, service: false } });
  if (!user) throw invalid("membership.email", "no user has this e-mail address");
  const other = await db.membership.findUnique({ where: { accountId_userId: { accountId, userId: user.id } } });
  if (other)
    throw conflict(`the user is already a member of the account: membership ${other.id}`, {
      path: "membership.email",
      blocking: [`memberships/${other.id}`],
    });
  onCommit(() => identities.forget(user.id));
  return db.membership.create({ data: { id: uuidv7(), accountId, userId: user.id, role } });
}

// The lock on the account's row serializes changes of its owners: two owners cannot remove each other.
async function findLockedWithAccount(caller: Caller, id: string): Promise<Membership> {
  const { accountId } = await caller.find("membership", id);
  await caller.find("account", accountId, "update");
  return caller.find("membership", id, "update");
}

async function requireOtherOwner(
  db: Tx,
  caller: Caller,
  { accountId, userId, role }: Membership,
  path = "",
): Promise<void> {
  if (role !== "owner") return;
  if (!caller.isOwner(accountId)) throw forbidden("only an owner can change owners");
  const others = await db.membership.count({ where: { accountId, role: "owner", userId: { not: userId } } });
  if (others === 0)
    throw conflict("an account must have at least one owner", { path, blocking: [`accounts/${accountId}`] });
}
