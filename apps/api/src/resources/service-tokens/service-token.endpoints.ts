import { Prisma, Role, type Tx } from "@gantry/db";
import { serviceToken } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { forbidden, notFound } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { many } from "../../http/reply/list.js";
import { empty, shownOnce } from "../../http/reply/reply.js";
import { isValidId } from "../../http/rows/rows.js";
import { requireOwnerFor } from "../memberships/membership.rules.js";
import { createToken, revokeTokens, tokenAttributes } from "../tokens/token.rules.js";
import { trustOf, trustsInput } from "./trust.rules.js";

export const serviceTokenEndpoints = [
  endpoint({
    route: "POST /accounts/:account/service-tokens",
    summary: "Create a service token, which has a role in the account and belongs to no person",
    access: "admin",
    alsoScope: "write",
    transaction: true,
    body: strict({ service_token: strict({ ...tokenAttributes, role: z.enum(Role), trusts: trustsInput.optional() }) }),
    reply: shownOnce("api_token", { token: serviceToken.record }, 201),
    handle: async ({ params, body, caller, db, env, note, identities, link }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const { role, trusts, ...attributes } = body.service_token;
      const trust = trusts && trustOf(trusts, env);
      requireOwnerFor(role, caller, accountId);
      await requirePresentRole(db, caller, accountId, role === "owner" ? "owner" : "admin");
      // It belongs to a separate user, so that its Requests have a requester and its role is a membership.
      const id = uuidv7();
      const { name } = attributes;
      await db.user.create({ data: { id, name, email: `${id}@service.invalid`, service: true, passwordHash: "" } });
      await db.membership.create({ data: { id: uuidv7(), accountId, userId: id, role } });
      const limits = { ...attributes, accounts: [accountId], trust };
      const { text, row } = await createToken(db, identities, id, limits, caller);
      note({ accountId, subject: `token/${row.id}` });
      // Nobody gets the text of a token that trusts identities: a caller would store a text that an answer shows.
      return { api_token: trust ? null : text, token: serviceToken.serialize({ ...row, role }, link) };
    },
  }),

  endpoint({
    route: "GET /accounts/:account/service-tokens",
    summary: "List an account's service tokens",
    access: "admin",
    reply: many(serviceToken),
    handle: async ({ params, caller, db }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const rows = await db.token.findMany({
        where: {
          deletedAt: null,
          identitySubject: null,
          user: { service: true, memberships: { some: { accountId } } },
        },
        include: { user: { include: { memberships: { where: { accountId } } } } },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      });
      return rows.flatMap(({ user, ...row }) => user.memberships.map(({ role }) => ({ ...row, role })));
    },
  }),

  endpoint({
    route: "DELETE /service-tokens/:service_token",
    summary: "Revoke a service token and delete its service",
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

/**
 * Holds the caller's role until the transaction ends: a change that comes later finds the service.
 *
 * @throws 403 if the role was lowered, or the member removed, since the caller's token was looked up
 */
async function requirePresentRole(db: Tx, caller: Caller, accountId: string, lowest: Role): Promise<void> {
  if (caller.actsAsStaff(accountId)) return;
  const rows = await db.$queryRaw<unknown[]>`
    SELECT id FROM memberships
    WHERE account_id = ${accountId}::uuid AND user_id = ${caller.user.id}::uuid AND role <= ${lowest}::role FOR SHARE`;
  if (rows.length === 0) throw forbidden("your role in this account no longer permits this operation");
}
