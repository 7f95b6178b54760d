import type { Tx } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import type { Caller, ScopeName } from "../../http/caller.js";
import type { AppContext } from "../../http/context.js";
import { endpoint } from "../../http/endpoint.js";
import { forbidden, HttpError, invalid, missing, notFound } from "../../http/errors.js";
import { storedScope } from "../../http/identities.js";
import { instant, secretText, strict } from "../../http/input.js";
import { isPassword } from "../../http/passwords.js";
import { empty, json, many } from "../../http/reply.js";
import { isValidId } from "../../http/rows.js";
import { mintToken } from "../../http/tokens.js";
import { scopeNames, token } from "./token.resource.js";

/** The scopes of a token whose input has none: neither secrets nor the management of members and providers. */
const DEFAULT_SCOPES: ScopeName[] = ["read", "write"];

interface NewToken {
  userId: string;
  name: string;
  scopes: ScopeName[];
  expiresAt: Date | null;
}

export const tokenEndpoints = [
  endpoint({
    route: "POST /tokens",
    summary: "Create a token with an e-mail and a password, or with the caller's own token",
    access: "anyone",
    secret: true,
    body: strict({
      email: z.string().max(320).optional(),
      password: secretText({ max: 1000 }).optional(),
      token: strict({
        name: z.string().min(1).max(100).default("unnamed"),
        scopes: z.array(scopeNames).min(1).default(DEFAULT_SCOPES),
        expires_at: instant.optional(),
      }).optional(),
    }),
    reply: json(z.object({ api_token: z.string(), token: token.record.optional() }), 201),
    handle: async ({ body, caller, db, note, appContext, link }) => {
      const input = body.token ?? { name: "unnamed", scopes: DEFAULT_SCOPES };
      const expiresAt = input.expires_at ? new Date(input.expires_at) : null;
      if (expiresAt && expiresAt.getTime() <= Date.now()) throw invalid("token.expires_at", "is in the past");
      const attributes = { name: input.name, scopes: input.scopes, expiresAt };
      const isSignIn = !caller || body.email !== undefined;
      if (!isSignIn) requireOwnScopes(caller, attributes.scopes);
      const userId = isSignIn ? await signIn(db, body) : caller.user.id;
      const { text, row } = await storeToken(db, appContext, { ...attributes, userId });
      note({ userId, subject: `token/${row.id}` });
      return isSignIn && !body.token ? { api_token: text } : { api_token: text, token: token.serialize(row, link) };
    },
  }),

  endpoint({
    route: "GET /tokens",
    summary: "List the caller's tokens",
    reply: many(token),
    handle: ({ caller, db }) =>
      db.token.findMany({
        where: { userId: caller.user.id, deletedAt: null },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      }),
  }),

  endpoint({
    route: "DELETE /tokens/:token",
    summary: "Revoke a token",
    reply: empty,
    handle: async ({ params, caller, db, onCommit, note, appContext }) => {
      if (!isValidId("token", params.token)) throw notFound();
      const ownToken = { id: params.token, userId: caller.user.id, deletedAt: null };
      const { count } = await db.token.updateMany({ where: ownToken, data: { deletedAt: new Date() } });
      if (count === 0) throw notFound();
      note({ subject: `token/${params.token}` });
      onCommit(() => appContext.identities.forget(caller.user.id));
    },
  }),
];

function requireOwnScopes(caller: Caller, scopes: ScopeName[]): void {
  caller.requireScope("write");
  const more = scopes.filter((scope) => !caller.hasScope(scope));
  if (more.length > 0) throw forbidden(`a token cannot grant scopes that it lacks: ${more.join(", ")}`);
}

async function signIn(
  db: Tx,
  { email, password }: { email?: string | undefined; password?: string | undefined },
): Promise<string> {
  if (!email) throw missing("email");
  if (!password) throw missing("password");
  const user = await db.user.findUnique({ where: { email: email.toLowerCase() } });
  const matches = await isPassword(password, user?.passwordHash);
  if (!user || !matches)
    throw new HttpError(401, "unauthorized", ["the e-mail or the password is wrong"], { failedSignIn: email });
  return user.id;
}

async function storeToken(db: Tx, { identities }: AppContext, { scopes, ...rest }: NewToken) {
  const text = mintToken();
  const stored = [...new Set(scopes)].map(storedScope);
  const row = await db.token.create({
    data: { id: uuidv7(), digest: identities.digest(text), scopes: stored, ...rest },
  });
  return { text, row };
}
