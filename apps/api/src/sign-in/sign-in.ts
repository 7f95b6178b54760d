import { linkUnder, type ScopeName, scopeNames, token } from "@gantry/resources";
import { parseCookie } from "cookie";
import { type Request as Input, type RequestHandler, Router } from "express";
import { z } from "zod";
import { auditOf } from "../http/audit/audit.js";
import type { AppContext } from "../http/context.js";
import { HttpError } from "../http/errors/errors.js";
import { parse } from "../http/input/input.js";
import { createToken, usualLimits } from "../resources/tokens/token.rules.js";
import { type Challenge, Issuer } from "./issuer.js";
import { applyGroups, userOf } from "./person.js";

const ACTION = "GET /sign-in/callback";
const COOKIE = "gantry-sign-in";
const MAX_AGE_MS = 10 * 60_000;
const HOUR_MS = 60 * 60_000;
const COOKIE_LOCATION = { table: "cookie", column: COOKIE, id: "", account: "installation" };

/** A sign-in under way, as its cookie keeps it, encrypted. */
interface SignIn {
  challenge: Challenge;
  scopes: ScopeName[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

const startQuery = z.strictObject({
  scopes: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(scopeNames))
    .default(usualLimits.scopes),
});

/** Routes for people with a browser: they sign in at the issuer that the settings name, and get a token. */
export function signIn(appContext: AppContext): RequestHandler {
  const { env, db, vault, throttle, identities, log } = appContext;
  const { OIDC_ISSUER, OIDC_CLIENT_ID, BASE_URL } = env;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !BASE_URL) return Router().get(["/sign-in", "/sign-in/callback"], noIssuer);
  const issuer = new Issuer({ ...env, OIDC_ISSUER, OIDC_CLIENT_ID }, `${BASE_URL}/sign-in/callback`, log);
  // Lax, since the issuer's answer comes from another site.
  const cookie = { path: "/sign-in", httpOnly: true, sameSite: "lax", secure: BASE_URL.startsWith("https:") } as const;

  const start: RequestHandler = async (input, res) => {
    throttle.take("anyone", input.ip ?? "");
    const { scopes } = parse(startQuery, input.query, "query");
    const { url, challenge } = await issuer.challenge();
    const state: SignIn = { challenge, scopes, expiresAt: Date.now() + MAX_AGE_MS };
    const encrypted = await vault.encrypt(JSON.stringify(state), COOKIE_LOCATION);
    res.cookie(COOKIE, Buffer.from(encrypted).toString("base64url"), { ...cookie, maxAge: MAX_AGE_MS });
    res.set("Cache-Control", "no-store").redirect(url.href);
  };

  const finish: RequestHandler = async (input, res) => {
    throttle.take("anyone", input.ip ?? "");
    const { challenge, scopes } = await readCookie(input);
    res.clearCookie(COOKIE, cookie);
    const { search } = new URL(input.originalUrl, BASE_URL);
    const person = await issuer.personOf(search, challenge);
    const { text, row } = await db.$transaction(async (tx) => {
      const userId = await userOf(tx, person);
      const audit = auditOf(input, res.locals);
      await applyGroups(tx, audit, { userId, action: ACTION }, person.groups, env.OIDC_GROUP_ROLES);
      const expires_at = new Date(Date.now() + env.OIDC_TOKEN_HOURS * HOUR_MS).toISOString();
      const limits = { ...usualLimits, name: "sign-in", scopes, expires_at };
      const created = await createToken(tx, identities, userId, limits);
      const changes = { issuer: person.issuer };
      await audit.write(tx, { action: ACTION, status: 200, userId, subject: `token/${created.row.id}`, changes });
      return created;
    });
    identities.forget(row.userId);
    const record = token.serialize(row, linkUnder(BASE_URL));
    res.set("Cache-Control", "no-store").json({ api_token: text, token: record });
  };

  async function readCookie(input: Input): Promise<SignIn> {
    const encrypted = parseCookie(input.get("cookie") ?? "")[COOKIE];
    const decrypted =
      encrypted && (await vault.decrypt(Buffer.from(encrypted, "base64url"), COOKIE_LOCATION).catch(() => undefined));
    const state = decrypted ? (JSON.parse(decrypted) as SignIn) : undefined;
    if (state && state.expiresAt > Date.now()) return state;
    throw new HttpError(400, "no_sign_in", ["this browser has not started a sign-in; go to /sign-in"]);
  }

  return Router().get("/sign-in", start).get("/sign-in/callback", finish);
}

const noIssuer: RequestHandler = () => {
  const sentence = "this installation has no OpenID Connect issuer (OIDC_ISSUER); sign in with POST /tokens";
  throw new HttpError(404, "not_found", [sentence]);
};
