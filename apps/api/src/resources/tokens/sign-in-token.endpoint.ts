import { field, token } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { invalid } from "../../http/errors/errors.js";
import { secretText, strict } from "../../http/input/input.js";
import { shownOnce } from "../../http/reply/reply.js";
import { findSignIn, useSignIn } from "./sign-in-codes.js";
import { createToken, tokenInput, usualLimits } from "./token.rules.js";

const HOUR_MS = 60 * 60_000;

export const signInTokenEndpoint = endpoint({
  route: "POST /sign-in/token",
  operation: "createSignInToken",
  summary: "Create a token with the code that a sign-in in a browser sent to the terminal that started it",
  access: "anyone",
  transaction: true,
  body: strict({
    code: field(secretText({ min: 1, max: 200 }), "fR3kq0C1bVqkz0iYb0gQ7o1n7sC9mP2tXw4uZ8eLhJk"),
    code_verifier: field(secretText({ min: 43, max: 128 }), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    redirect_uri: field(z.string().max(500), "http://127.0.0.1:49152/callback", "The one with which the sign-in began"),
    token: tokenInput
      .optional()
      .describe("The token's limits. It ends no later than one from a sign-in in a browser (`OIDC_TOKEN_HOURS`)"),
  }),
  reply: shownOnce("api_token", { token: token.record }, 201),
  prepare: ({ body, db, identities }) => findSignIn(db, identities, body),
  handle: async ({ body, prepared: signIn, db, env, note, identities, link, signedIn }) => {
    const { userId, issuer } = signIn;
    // A repeated call gets its first response, although the code is used by then.
    await signedIn(userId);
    await useSignIn(db, signIn);
    const limits = body.token ?? { ...usualLimits, name: "sign-in" };
    const latest = new Date(Date.now() + env.OIDC_TOKEN_HOURS * HOUR_MS).toISOString();
    const { expires_at = latest } = limits;
    if (expires_at > latest) throw invalid("token.expires_at", `must not be later than ${latest}`);
    const { text, row } = await createToken(db, identities, userId, { ...limits, expires_at });
    note({ userId, subject: `token/${row.id}`, changes: { issuer } });
    return { api_token: text, token: token.serialize(row, link) };
  },
});
