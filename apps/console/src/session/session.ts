import type { Session } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { cache, gantry, SESSION_KEY, setCsrfToken } from "../api.js";
import { forgetReasons } from "../state/reasons.js";
import { mustSignInAgain } from "../state/sign-in-again.js";

interface SessionAnswer {
  session: Session | null;
  sign_in: { issuer: string | null };
  version: string;
}

/** What signs a person in: a password, a token of the API, or the code of a one-time link. */
export type Credentials = { email: string; password: string } | { api_token: string } | { code: string };

export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => {
    const answer = (await gantry.call("GET", "/session", { signal })).body as SessionAnswer;
    setCsrfToken(answer.session?.csrf_token);
    return answer;
  },
});

/** Opens a session, and reads again what failed without one. */
export async function signIn(credentials: Credentials): Promise<void> {
  await gantry.call("POST", "/session", { body: credentials, maxRetries: 0 });
  await cache.fetchQuery({ ...sessionQuery, staleTime: 0 });
  mustSignInAgain.set(false);
  await cache.invalidateQueries({ predicate: ({ state }) => state.status === "error" });
}

/** Ends the session, and forgets what was read once no page shows it any more. */
export async function signOut(leave: () => Promise<void>): Promise<void> {
  // The end of a session is no act in an account.
  forgetReasons();
  await gantry.call("DELETE", "/session");
  setCsrfToken(undefined);
  await leave();
  cache.clear();
}
