import { linkUnder, type ScopeName, scopeNames, token } from "@gantry/resources";
import { parseCookie } from "cookie";
import { type ErrorRequestHandler, type Request as Input, type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import { auditOf } from "../http/audit/audit.js";
import { recordRefusals } from "../http/audit/refusals.js";
import { requireCookie, SessionCookie } from "../http/auth/session-cookie.js";
import type { AppContext } from "../http/context.js";
import { HttpError, invalid, missing } from "../http/errors/errors.js";
import { parse } from "../http/input/input.js";
import { createSession } from "../resources/session/session.rules.js";
import { createSignInCode, type Terminal } from "../resources/tokens/sign-in-codes.js";
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
  /** The terminal that gets a code; without one and without `returnTo`, the browser shows the token. */
  terminal?: StartingTerminal;
  /** The page of the console that the browser opens with a session. */
  returnTo?: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface StartingTerminal extends Terminal {
  /** What the terminal finds in the answer, to know it as its own. */
  state: string;
}

/** An address of the browser's own machine, by number: a name could lead elsewhere. */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):\d{1,5}\/[\w./~-]*$/;

/** A page of the console. No browser reads it as another site's: it begins with one slash, and has no other host. */
const CONSOLE_PAGE = /^\/console(?:\/[\w.~%/-]*)?(?:\?[\w.~%&=+,:-]*)?$/;

const startQuery = z.strictObject({
  return_to: z
    .string()
    .max(1000)
    .refine((text) => isConsolePage(text), "must be a path under /console")
    .optional(),
  redirect_uri: z
    .string()
    .max(500)
    .refine(
      (text) => LOOPBACK.test(text) && URL.canParse(text),
      "must be http://127.0.0.1:PORT/PATH or http://[::1]:PORT/PATH",
    )
    .optional(),
  code_challenge: z
    .string()
    .regex(/^[\w-]{43}$/, "must be the SHA-256 digest of the verifier, as base64url")
    .optional(),
  code_challenge_method: z.literal("S256").default("S256"),
  state: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, "must be 1 to 500 visible characters")
    .optional(),
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

  const recordRefusal = recordRefusals(appContext);

  const start: RequestHandler = async (input, res) => {
    throttle.take("anyone", input.ip ?? "");
    const { scopes, return_to: returnTo, ...query } = parse(startQuery, input.query, "query");
    const terminal = terminalOf(query);
    if (returnTo !== undefined && terminal) throw invalid("return_to", "cannot be combined with redirect_uri");
    if (returnTo !== undefined) requireCookie(SessionCookie.of(input, env));
    const { url, challenge } = await issuer.challenge();
    const state: SignIn = {
      challenge,
      scopes,
      ...(terminal && { terminal }),
      ...(returnTo !== undefined && { returnTo }),
      expiresAt: Date.now() + MAX_AGE_MS,
    };
    const encrypted = await vault.encrypt(JSON.stringify(state), COOKIE_LOCATION);
    res.cookie(COOKIE, Buffer.from(encrypted).toString("base64url"), { ...cookie, maxAge: MAX_AGE_MS });
    res.set("Cache-Control", "no-store").redirect(url.href);
  };

  const finish: RequestHandler = async (input, res) => {
    throttle.take("anyone", input.ip ?? "");
    const { challenge, scopes, terminal, returnTo } = await readCookie(input);
    res.locals.terminal = terminal;
    res.clearCookie(COOKIE, cookie);
    const { search } = new URL(input.originalUrl, BASE_URL);
    const person = await issuer.personOf(search, challenge);
    const { userId, answer } = await db.$transaction(async (tx) => {
      const userId = await userOf(tx, person);
      const audit = auditOf(input, res.locals);
      await applyGroups(tx, audit, { userId, action: ACTION }, person.groups, env.OIDC_GROUP_ROLES);
      const record = (status: number, subject: string) =>
        audit.write(tx, { action: ACTION, status, userId, subject, changes: { issuer: person.issuer } });
      if (terminal) {
        const code = await createSignInCode(tx, identities, { ...terminal, userId, issuer: person.issuer });
        await record(302, `user/${userId}`);
        return { userId, answer: () => sendToTerminal(res, terminal, { code }) };
      }
      if (returnTo !== undefined) {
        const cookie = requireCookie(SessionCookie.of(input, env));
        const { text, row } = await createSession(tx, appContext, userId);
        await record(302, `token/${row.id}`);
        return { userId, answer: () => res.append("Set-Cookie", cookie.start(text, row.expiresAt)).redirect(returnTo) };
      }
      const expires_at = new Date(Date.now() + env.OIDC_TOKEN_HOURS * HOUR_MS).toISOString();
      const limits = { ...usualLimits, name: "sign-in", scopes, expires_at };
      const { text, row } = await createToken(tx, identities, userId, limits);
      await record(200, `token/${row.id}`);
      return { userId, answer: () => res.json({ api_token: text, token: token.serialize(row, linkUnder(BASE_URL)) }) };
    });
    identities.forget(userId);
    res.set("Cache-Control", "no-store");
    answer();
  };

  async function readCookie(input: Input): Promise<SignIn> {
    const encrypted = parseCookie(input.get("cookie") ?? "")[COOKIE];
    const decrypted =
      encrypted && (await vault.decrypt(Buffer.from(encrypted, "base64url"), COOKIE_LOCATION).catch(() => undefined));
    const state = decrypted ? (JSON.parse(decrypted) as SignIn) : undefined;
    if (state && state.expiresAt > Date.now()) return state;
    throw new HttpError(400, "no_sign_in", ["this browser has not started a sign-in; go to /sign-in"]);
  }

  /** Sends a refusal to the terminal, which would wait in vain. */
  const refuse: ErrorRequestHandler = (error, input, res, next) => {
    const { terminal } = res.locals as { terminal?: StartingTerminal };
    if (!terminal || !(error instanceof HttpError) || error.status >= 500) return next(error);
    const description = error.sentences.join("; ");
    return recordRefusal(error, input, res, () =>
      sendToTerminal(res, terminal, { error: "access_denied", error_description: description }),
    );
  };

  return Router().get("/sign-in", start).get("/sign-in/callback", finish, refuse);
}

function isConsolePage(text: string): boolean {
  if (!CONSOLE_PAGE.test(text)) return false;
  const { pathname } = new URL(text, "http://gantry.invalid");
  return pathname === "/console" || pathname.startsWith("/console/");
}

type TerminalQuery = Pick<z.output<typeof startQuery>, "redirect_uri" | "code_challenge" | "state">;

/** @throws 422 if only a part of what a terminal sends is there */
function terminalOf({ redirect_uri, code_challenge, state }: TerminalQuery): StartingTerminal | undefined {
  if (redirect_uri === undefined && code_challenge === undefined && state === undefined) return undefined;
  if (redirect_uri === undefined) throw missing("redirect_uri");
  if (code_challenge === undefined) throw missing("code_challenge");
  if (state === undefined) throw missing("state");
  return { redirectUri: redirect_uri, challenge: code_challenge, state };
}

/** Sends the browser to the terminal, with the answer that the terminal waits for. */
function sendToTerminal(res: Response, { redirectUri, state }: StartingTerminal, answer: Record<string, string>): void {
  const query = new URLSearchParams({ ...answer, state });
  res.set("Cache-Control", "no-store").redirect(`${redirectUri}?${query}`);
}

const noIssuer: RequestHandler = () => {
  const sentence = "this installation has no OpenID Connect issuer (OIDC_ISSUER); sign in with POST /tokens";
  throw new HttpError(404, "not_found", [sentence]);
};
