import type { Token, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import type { AppContext } from "../../http/context.js";
import { endpoint } from "../../http/endpoint.js";
import { HttpError, missing, notFound } from "../../http/errors.js";
import { secretText, strict } from "../../http/input.js";
import { isPassword } from "../../http/passwords.js";
import { empty, json, many } from "../../http/reply.js";
import { isValidId } from "../../http/rows.js";
import { findVisibleUser } from "../users/user.visibility.js";
import { token } from "./token.resource.js";
import { createToken, revokeTokens, tokenInput, usualLimits } from "./token.rules.js";

export const tokenEndpoints = [
  endpoint({
    route: "POST /tokens",
    summary: "Create a token with an e-mail and a password, or with the caller's own token",
    access: "anyone",
    secret: true,
    transaction: true,
    body: strict({
      email: z.string().max(320).optional(),
      password: secretText({ max: 1000 }).optional(),
      token: tokenInput.optional(),
    }),
    reply: json(z.object({ api_token: z.string(), token: token.record.optional() }), 201),
    handle: async ({ body, caller, address, db, note, appContext, link }) => {
      const maker = body.email === undefined ? caller : undefined;
      // A sign-in counts by address even with a token, or each token of a caller would allow more guesses.
      if (caller && !maker) appContext.throttle.take("anyone", address);
      const userId = maker?.user.id ?? (await signIn(db, appContext, body));
      const { text, row } = await createToken(db, appContext, userId, body.token ?? usualLimits, maker);
      note({ userId, subject: `token/${row.id}` });
      return maker || body.token ? { api_token: text, token: token.serialize(row, link) } : { api_token: text };
    },
  }),

  endpoint({
    route: "GET /tokens",
    summary: "List the caller's tokens; with one that is limited to accounts, those that act in no others",
    reply: many(token),
    handle: ({ caller, db }) => livingTokens(db, caller, caller.user.id),
  }),

  endpoint({
    route: "GET /users/:user/tokens",
    summary: "List the caller's tokens, or as staff any user's; empty for another user",
    reply: many(token),
    handle: async ({ params, caller, db }) => {
      const { id } = await findVisibleUser(db, caller, params.user);
      return id === caller.user.id || caller.user.staff ? livingTokens(db, caller, id) : [];
    },
  }),

  endpoint({
    route: "DELETE /tokens/:token",
    self: "token",
    summary: "Revoke a token of the caller, and the tokens that it made",
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db, onCommit, note, appContext }) => {
      if (!isValidId("token", params.token)) throw notFound();
      const { id: userId } = caller.user;
      const own = await db.token.findUnique({ where: { id: params.token, userId, deletedAt: null } });
      if (!own || !caller.covers(own.accountIds)) throw notFound();
      await revokeTokens(db, [own.id]);
      note({ subject: `token/${own.id}` });
      onCommit(() => appContext.identities.forget(userId));
    },
  }),
];

async function livingTokens(db: Tx, caller: Caller, userId: string): Promise<Token[]> {
  const tokens = await db.token.findMany({
    where: { userId, deletedAt: null },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return tokens.filter(({ accountIds }) => caller.covers(accountIds));
}

async function signIn(
  db: Tx,
  { throttle }: AppContext,
  { email, password }: { email?: string | undefined; password?: string | undefined },
): Promise<string> {
  if (!email) throw missing("email");
  if (!password) throw missing("password");
  const name = email.toLowerCase();
  throttle.require("failed sign-in", name);
  const user = await db.user.findUnique({ where: { email: name, deletedAt: null } });
  const matches = await isPassword(password, user?.passwordHash);
  if (user && matches) return user.id;
  throttle.take("failed sign-in", name);
  throw new HttpError(401, "unauthorized", ["the e-mail or the password is wrong"], { failedSignIn: name });
}
