import { Prisma, Role } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { notFound } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { empty, many, shownOnce } from "../../http/reply.js";
import { isValidId } from "../../http/rows.js";
import { requireOwnerFor } from "../memberships/membership.rules.js";
import { token } from "../tokens/token.resource.js";
import { createToken, revokeTokens, tokenAttributes } from "../tokens/token.rules.js";

export const serviceTokenEndpoints = [
  endpoint({
    route: "POST /accounts/:account/service-tokens",
    summary: "Create a token of an account that belongs to no person, with a role",
    access: "admin",
    alsoScope: "write",
    transaction: true,
    body: strict({ service_token: strict({ ...tokenAttributes, role: z.enum(Role) }) }),
    reply: shownOnce("api_token", { token: token.record }, 201),
    handle: async ({ params, body, caller, db, note, appContext, link }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const { role, ...attributes } = body.service_token;
      requireOwnerFor(role, caller, accountId);
      // A user of its own stands behind it, so that its Requests have a requester and its role is a membership.
      const id = uuidv7();
      const { name } = attributes;
      await db.user.create({ data: { id, name, email: `${id}@service.invalid`, service: true, passwordHash: "" } });
      await db.membership.create({ data: { id: uuidv7(), accountId, userId: id, role } });
      const limits = { ...attributes, accounts: [accountId] };
      const { text, row } = await createToken(db, appContext, id, limits, caller);
      note({ accountId, subject: `token/${row.id}` });
      return { api_token: text, token: token.serialize(row, link) };
    },
  }),

  endpoint({
    route: "GET /accounts/:account/service-tokens",
    summary: "List an account's service tokens",
    access: "admin",
    reply: many(token),
    handle: async ({ params, caller, db }) => {
      const { id: accountId } = await caller.find("account", params.account);
      return db.token.findMany({
        where: { deletedAt: null, user: { service: true, memberships: { some: { accountId } } } },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      });
    },
  }),

  endpoint({
    route: "DELETE /service-tokens/:service_token",
    summary: "Revoke a service token and end its service",
    access: "admin",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, note, ...context }) => {
      const { service_token: id } = params;
      if (!isValidId("token", id)) throw notFound();
      const found = await context.db.token.findUnique({
        where: { id, deletedAt: null, user: { service: true } },
        include: { user: { include: { memberships: true } } },
      });
      const [membership] = found?.user.memberships ?? [];
      if (!found || !membership) throw notFound();
      await caller.find("membership", membership.id);
      await revokeTokens(context, Prisma.sql`user_id = ${found.userId}::uuid`);
      note({ accountId: membership.accountId, subject: `token/${id}` });
    },
  }),
];
