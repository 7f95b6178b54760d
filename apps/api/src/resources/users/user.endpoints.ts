import { Prisma } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { forbidden } from "../../http/errors.js";
import { equals, text } from "../../http/filters.js";
import { secretText, strict } from "../../http/input.js";
import { hashPassword } from "../../http/passwords.js";
import { created, many, one } from "../../http/reply.js";
import type { Selection } from "../../http/rows.js";
import { user } from "./user.resource.js";
import { findVisibleUser, visibleUsers } from "./user.visibility.js";

const filters = { name: text, email: text, id: equals(z.uuid()) };

export const userEndpoints = [
  endpoint({
    route: "GET /users/current",
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
    summary: "Create a user; staff only",
    access: "admin",
    body: strict({
      user: strict({
        name: z.string().min(1).max(200),
        email: z.email().max(320).toLowerCase(),
        password: secretText({ min: 12, max: 1000 }),
      }),
    }),
    reply: created(user),
    handle: async ({ body, caller, db }) => {
      if (!caller.user.staff) throw forbidden("only staff may create users");
      const { password, ...named } = body.user;
      return db.user.create({ data: { id: uuidv7(), ...named, passwordHash: await hashPassword(password) } });
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

function members(accountId: string, condition = Prisma.empty): Selection<"user"> {
  const ids = Prisma.sql`SELECT user_id FROM memberships WHERE account_id = ${accountId} ${condition}`;
  return { model: "user", where: Prisma.sql`id IN (${ids})` };
}
