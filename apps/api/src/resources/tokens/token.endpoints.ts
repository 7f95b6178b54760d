import { Prisma } from "@gantry/db";
import { currentToken, field, token } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { notFound } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import { many } from "../../http/reply/list.js";
import { empty, one, shownOnce } from "../../http/reply/reply.js";
import { isValidId } from "../../http/rows/rows.js";
import { lockSamePassword, signInByPassword } from "./password-sign-in.js";
import { createToken, livingTokens, revokeTokens, tokenInput, usualLimits } from "./token.rules.js";

export const tokenEndpoints = [
  endpoint({
    route: "POST /tokens",
    summary: "Create a token with an e-mail address and a password, or with the caller's own token",
    access: "anyone",
    transaction: true,
    body: strict({
      email: field(z.string().max(320).optional(), "ada@example.com"),
      password: field(secretText({ max: 1000 }).optional(), "correct horse battery staple"),
      token: tokenInput.optional(),
    }),
    reply: shownOnce("api_token", { token: token.record.optional() }, 201),
    prepare: async ({ body, caller, address, db, throttle }) => {
      if (caller && body.email === undefined) return { maker: caller.user.id };
      // A sign-in counts by address even with a token; otherwise each token of a caller would allow more guesses.
      if (caller) throttle.take("anyone", address);
      return signInByPassword(db, throttle, body);
    },
    handle: async ({ body, caller, prepared, db, note, identities, link, signedIn }) => {
      const maker = "maker" in prepared ? caller : undefined;
      const userId = "maker" in prepared ? prepared.maker : prepared.id;
      if ("passwordHash" in prepared) await lockSamePassword(db, prepared);
      await signedIn(userId);
      const { text, row } = await createToken(db, identities, userId, body.token ?? usualLimits, maker);
      note({ userId, subject: `token/${row.id}` });
      return maker || body.token ? { api_token: text, token: token.serialize(row, link) } : { api_token: text };
    },
  }),

  endpoint({
    route: "GET /tokens",
    summary: "List the caller's tokens; with a token limited to accounts, only tokens limited to the same accounts",
    reply: many(token),
    handle: ({ caller, db }) => livingTokens(db, caller, caller.user.id),
  }),

  endpoint({
    route: "GET /tokens/current",
    operation: "getCurrentToken",
    summary: "Show the token with which the call is made; `GET /users/current` shows its user",
    reply: one(currentToken),
    handle: async ({ caller, db }) => {
      const { user, ...row } = await db.token.findUniqueOrThrow({
        where: { id: caller.token.tokenId },
        include: { user: { include: { memberships: true } } },
      });
      // A service has one membership, and no person's role is its tokens'.
      const [membership] = user.service ? user.memberships : [];
      return { ...row, accountId: membership?.accountId ?? null, role: membership?.role ?? null };
    },
  }),

  endpoint({
    route: "DELETE /tokens/:token",
    self: "token",
    summary: "Revoke one of the caller's tokens, and the tokens created with it",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, note, ...context }) => {
      const { db } = context;
      if (!isValidId("token", params.token)) throw notFound();
      const { id: userId } = caller.user;
      const own = await db.token.findUnique({ where: { id: params.token, userId, deletedAt: null } });
      if (!own || !caller.covers(own.accountIds)) throw notFound();
      await revokeTokens(context, Prisma.sql`id = ${own.id}::uuid`);
      note({ subject: `token/${own.id}` });
    },
  }),
];
