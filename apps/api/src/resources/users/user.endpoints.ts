import { Prisma, type Tx } from "@gantry/db";
import { field, token, user } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { hashPassword, isPassword } from "../../http/auth/passwords.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, emailTaken, forbidden } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import type { Throttle } from "../../http/limits/throttle.js";
import { equals, indexed, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, empty, one } from "../../http/reply/reply.js";
import type { Selection } from "../../http/rows/rows.js";
import {
  keepServiceTokens,
  keepServiceTokensInBody,
  livingTokens,
  NOT_ONES_OWN,
  revokeTokens,
} from "../tokens/token.rules.js";
import { accountIdsOf, findVisibleUser, visibleUsers } from "./user.visibility.js";

const EXAMPLE_PASSWORD = "correct horse battery staple";
const newPassword = field(secretText({ min: 12, max: 1000 }), EXAMPLE_PASSWORD);

const OTHERS_PASSWORD = "only staff can set another user's password; use PUT /users/current/password for your own";

const filters = { name: text, email: text, id: indexed(equals(z.uuid())) };

export const userEndpoints = [
  endpoint({
    route: "GET /users/current",
    operation: "getCurrentUser",
    summary: "Show the caller",
    reply: one(user),
    handle: ({ caller, db }) => db.user.findUniqueOrThrow({ where: { id: caller.user.id } }),
  }),

  endpoint({
    route: "GET /users",
    summary: "List the users who share an account with the caller",
    reply: many(user, { filters }),
    handle: ({ caller }) => visibleUsers(caller),
  }),

  endpoint({
    route: "POST /users",
    summary: "Create a user; staff only. Without a password the user cannot sign in until staff set one",
    access: "admin",
    staffOnly: "only staff can create users",
    body: strict({
      user: strict({
        name: nameText,
        email: field(z.email().max(320).toLowerCase(), "ada@example.com"),
        password: newPassword.nullable().optional().describe("The password to sign in with; null for none"),
      }),
    }),
    reply: created(user),
    prepare: async ({ body: { user } }) => (user.password ? hashPassword(user.password) : ""),
    handle: async ({ body, prepared: passwordHash, db }) => {
      const { password: _, ...named } = body.user;
      const other = await db.user.findUnique({ where: { email: named.email }, select: { id: true } });
      if (other) throw emailTaken(other.id);
      return db.user.create({ data: { id: uuidv7(), ...named, passwordHash } });
    },
  }),

  endpoint({
    route: "GET /users/:user/tokens",
    summary: "List the caller's tokens, or, as staff, any user's; otherwise empty for other users",
    reply: many(token),
    handle: async ({ params, caller, db }) => {
      const { id } = await findVisibleUser(db, caller, params.user);
      return id === caller.user.id || caller.user.staff ? livingTokens(db, caller, id) : [];
    },
  }),

  endpoint({
    route: "PUT /users/current/password",
    operation: "changePassword",
    self: "person",
    summary: "Change the caller's password; revokes all tokens except the one in use, and the tokens created with them",
    transaction: true,
    body: strict({
      current_password: field(secretText({ max: 1000 }), EXAMPLE_PASSWORD),
      password: newPassword,
      keep_service_tokens: keepServiceTokensInBody,
    }),
    reply: empty,
    prepare: async ({ body, caller, db, throttle }) => ({
      current: await requirePassword(db, throttle, caller.user.id, body.current_password),
      next: await hashPassword(body.password),
    }),
    handle: async ({ body, caller, prepared, note, ...context }) => {
      const { id } = caller.user;
      const { db } = context;
      const { count } = await db.user.updateMany({
        where: { id, passwordHash: prepared.current, deletedAt: null },
        data: { passwordHash: prepared.next },
      });
      if (count === 0) throw wrongPassword();
      const others = Prisma.sql`t.id <> ${caller.token.tokenId}::uuid AND ${servicesToo(!body.keep_service_tokens)}`;
      await revokeTokens(context, Prisma.sql`user_id = ${id}::uuid`, others);
      note({ subject: `user/${id}` });
    },
  }),

  endpoint({
    route: "PUT /users/:user/password",
    operation: "resetPassword",
    access: "admin",
    staffOnly: OTHERS_PASSWORD,
    summary: "Set a user's password; revokes the user's tokens and the tokens created with them; staff only",
    transaction: true,
    body: strict({ password: newPassword }),
    query: { keep_service_tokens: keepServiceTokens },
    reply: empty,
    prepare: ({ body }) => hashPassword(body.password),
    handle: async ({ params, query, caller, prepared: passwordHash, note, ...context }) => {
      const { db, concern } = context;
      caller.requireStaff(OTHERS_PASSWORD);
      if (params.user === caller.user.id) throw forbidden(OTHERS_PASSWORD);
      const { id, service } = await findVisibleUser(db, caller, params.user);
      if (service) throw conflict("this user is a service, which cannot sign in with a password");
      concern(await accountIdsOf(db, id));
      await db.user.update({ where: { id }, data: { passwordHash } });
      await revokeTokens(context, Prisma.sql`user_id = ${id}::uuid`, servicesToo(!query.keep_service_tokens));
      note({ subject: `user/${id}` });
    },
  }),

  endpoint({
    route: "DELETE /users/:user",
    summary: "Delete a user with its memberships, tokens and keypairs; only for the user or staff",
    self: "person",
    transaction: true,
    reply: empty,
    query: { keep_service_tokens: keepServiceTokens },
    handle: async ({ params, query, caller, note, ...context }) => {
      const { db, concern } = context;
      const { id } = await findVisibleUser(db, caller, params.user);
      caller.requireSelf(id, "only the user or staff can delete a user");
      if (query.keep_service_tokens && id === caller.user.id) throw forbidden(NOT_ONES_OWN);
      await db.$queryRaw`SELECT id FROM users WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      concern(await accountIdsOf(db, id));
      await requireNoAccountWithoutOwner(db, id);
      await db.membership.deleteMany({ where: { userId: id } });
      await db.keypair.deleteMany({ where: { userId: id } });
      await revokeTokens(context, Prisma.sql`user_id = ${id}::uuid`, servicesToo(!query.keep_service_tokens));
      await db.user.update({ where: { id }, data: { ...ended(), passwordHash: "", email: `${id}@ended.invalid` } });
      note({ subject: `user/${id}` });
      context.onCommit(() => context.identities.forget(id));
    },
  }),

  endpoint({
    route: "GET /users/:user",
    summary: "Show a user who shares an account with the caller",
    reply: one(user),
    handle: ({ params, caller, db }) => findVisibleUser(db, caller, params.user),
  }),

  endpoint({
    route: "GET /accounts/:account/users",
    summary: "List an account's users",
    reply: many(user, { filters }),
    handle: async ({ params, caller }) => members((await caller.find("account", params.account)).id),
  }),

  endpoint({
    route: "GET /accounts/:account/owners",
    summary: "List an account's owners",
    reply: many(user, { filters }),
    handle: async ({ params, caller }) =>
      members((await caller.find("account", params.account)).id, Prisma.sql`AND role = 'owner'`),
  }),
];

/** Which tokens of families: those of services too, or only those of persons. */
const servicesToo = (too: boolean) => (too ? Prisma.sql`TRUE` : Prisma.sql`NOT u.service`);

const ended = () => ({ deletedAt: new Date() });

async function requirePassword(db: Tx, throttle: Throttle, id: string, password: string): Promise<string> {
  throttle.require("failed sign-in", id);
  const { passwordHash } = await db.user.findUniqueOrThrow({ where: { id } });
  if (await isPassword(password, passwordHash)) return passwordHash;
  throttle.take("failed sign-in", id);
  throw wrongPassword();
}

const wrongPassword = () => forbidden("the current password is wrong");

async function requireNoAccountWithoutOwner(db: Tx, userId: string): Promise<void> {
  // The locks prevent two owners of an account from ending at the same time.
  const orphans = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM accounts WHERE id IN (SELECT account_id FROM memberships WHERE user_id = ${userId}::uuid AND role = 'owner')
      AND NOT EXISTS (SELECT FROM memberships m WHERE m.account_id = accounts.id AND m.role = 'owner'
        AND m.user_id <> ${userId}::uuid)
    FOR NO KEY UPDATE`;
  const [orphan] = orphans;
  if (orphan)
    throw conflict(`account ${orphan.id} would have no owner; make another member an owner first`, {
      blocking: [`accounts/${orphan.id}`],
    });
}

function members(accountId: string, condition = Prisma.empty): Selection<"user"> {
  const ids = Prisma.sql`SELECT user_id FROM memberships WHERE account_id = ${accountId} ${condition}`;
  return { model: "user", where: Prisma.sql`id IN (${ids})` };
}
