import { Role } from "@gantry/db";
import { field, scopeNames, timestamp, user, uuid } from "@gantry/resources";
import { z } from "zod";
import { requireAddress } from "../../http/auth/authenticate.js";
import type { Identities } from "../../http/auth/identities.js";
import { requireCookie } from "../../http/auth/session-cookie.js";
import { endpoint } from "../../http/endpoint.js";
import { forbidden, HttpError, invalid } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import type { Throttle } from "../../http/limits/throttle.js";
import { json, type Reply } from "../../http/reply/reply.js";
import { version } from "../../http/version.js";
import { lockSamePassword, type SignedIn, signInByPassword } from "../tokens/password-sign-in.js";
import { useConsoleCode } from "../tokens/sign-in-codes.js";
import { createSession, showSession } from "./session.rules.js";

const session = z
  .object({
    user: user.record,
    accounts: z
      .array(z.object({ id: uuid, name: field(z.string(), "Main"), role: z.enum(Role) }))
      .describe("At most 100 of the accounts in which it acts; `GET /accounts` lists all"),
    scopes: field(z.array(scopeNames), ["read", "write"]),
    expires_at: timestamp,
    csrf_token: field(z.string(), "5Zk1", "The value of the header `Gantry-CSRF`, which every change needs"),
  })
  .meta({ id: "Session" });

type Session = z.input<typeof session>;

/** Who signs in: one of these. */
interface Proof {
  user?: SignedIn;
  tokenId?: string;
  code?: string;
}

/** 201 with the session, whose token is only in the cookie. */
const signedIn: Reply<{ session: Session; setCookie: string }> = {
  status: 201,
  schema: z.object({ session }),
  render: ({ session, setCookie }) => ({
    body: { session },
    headers: { "Set-Cookie": setCookie },
  }),
};

const signedOut: Reply<string | undefined> = {
  status: 204,
  render: (setCookie) => (setCookie === undefined ? {} : { headers: { "Set-Cookie": setCookie } }),
};

export const sessionEndpoints = [
  endpoint({
    route: "POST /session",
    operation: "createSession",
    summary: "Sign a browser in to the console; the session's token is only in a cookie",
    access: "anyone",
    transaction: true,
    body: strict({
      email: field(z.string().max(320).optional(), "ada@example.com"),
      password: field(secretText({ max: 1000 }).optional(), "correct horse battery staple"),
      api_token: secretText({ max: 200 })
        .optional()
        .describe("Instead of e-mail and password: a token, which limits the session"),
      code: secretText({ max: 200 }).optional().describe("Instead of these: the code of a one-time link"),
    }),
    reply: signedIn,
    prepare: async ({ body, caller, cookie, isLocal, address, db, identities, throttle }): Promise<Proof> => {
      requireCookie(cookie());
      // A sign-in counts by address even with a session; otherwise each user would allow more guesses.
      if (caller) throttle.take("anyone", address);
      const { email, api_token, code } = body;
      if ([email, api_token, code].filter((way) => way !== undefined).length > 1)
        throw invalid("", "send `email` and `password`, or `api_token`, or `code`");
      if (code !== undefined) {
        if (!isLocal) throw forbidden("a one-time link works only in a browser on Gantry's own machine");
        return { code };
      }
      if (api_token !== undefined) return { tokenId: await tokenIdOf(api_token, { identities, throttle, address }) };
      return { user: await signInByPassword(db, throttle, body) };
    },
    handle: async ({ prepared, cookie, note, onCommit, ...context }) => {
      const { db, identities } = context;
      const { user, code, tokenId } = prepared;
      if (user) await lockSamePassword(db, user);
      const maker = tokenId === undefined ? undefined : await db.token.findUniqueOrThrow({ where: { id: tokenId } });
      const userId = maker?.userId ?? user?.id ?? (await useConsoleCode(db, identities, String(code)));
      const { text, row } = await createSession(db, context, userId, maker);
      onCommit(() => identities.forget(userId));
      note({ userId, subject: `token/${row.id}` });
      return {
        session: await showSession(context, row.id),
        setCookie: requireCookie(cookie()).start(text, row.expiresAt),
      };
    },
  }),

  endpoint({
    route: "GET /session",
    operation: "getSession",
    summary: "Show the session of the browser's cookie, and how to sign in",
    access: "anyone",
    reply: json(
      z.object({
        session: session.nullable().describe("Null without a valid cookie"),
        sign_in: z.object({
          issuer: field(z.string().nullable(), "https://id.example.com", "Where `GET /sign-in` leads, if anywhere"),
        }),
        version: field(z.string(), "0.2.0"),
      }),
    ),
    handle: async ({ caller, env, ...context }) => ({
      session: caller?.usesCookie ? await showSession(context, caller.token.tokenId) : null,
      sign_in: { issuer: env.OIDC_ISSUER ?? null },
      version,
    }),
  }),

  endpoint({
    route: "DELETE /session",
    operation: "deleteSession",
    summary: "Sign out: end the session of the browser's cookie; tokens that it created remain",
    access: "anyone",
    transaction: true,
    reply: signedOut,
    handle: async ({ caller, cookie, db, identities, note, onCommit }) => {
      if (caller?.usesCookie) {
        const { tokenId } = caller.token;
        await db.token.updateMany({ where: { id: tokenId, deletedAt: null }, data: { deletedAt: new Date() } });
        onCommit(() => identities.forget(caller.user.id));
        note({ subject: `token/${tokenId}` });
      }
      return cookie()?.end();
    },
  }),
];

interface TokenCheck {
  identities: Identities;
  throttle: Throttle;
  address: string;
}

/**
 * The id of a token that a person enters to sign in.
 *
 * @throws 401 if it is not valid, or belongs to a session: a new session from an old one would count as a sign-in
 */
async function tokenIdOf(text: string, { identities, throttle, address }: TokenCheck): Promise<string> {
  throttle.require("refused", address);
  const key = identities.keyOf(text.trim());
  const identity = key && (await identities.find(key));
  if (!identity || identity.isSession) {
    throttle.take("refused", address);
    const sentence = "this API token is unknown, has expired or was revoked";
    throw new HttpError(401, "unauthorized", [sentence], { failedSignIn: "API token" });
  }
  requireAddress(identity, address);
  return identity.tokenId;
}
