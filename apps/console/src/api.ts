import { Gantry, GantryError, Unauthorized } from "@gantry/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { compareClock } from "./state/clock.js";
import { reasonHere } from "./state/reasons.js";
import { mustSignInAgain } from "./state/sign-in-again.js";

const CSRF_HEADER = "Gantry-CSRF";
const REASON_HEADER = "Gantry-Reason";

let csrfToken: string | undefined;

/** Sets the value that each change sends, to show that it comes from this page. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** The API. The browser sends the session's cookie by itself. */
export const gantry = new Gantry({
  baseUrl: location.origin,
  maxRetries: 2,
  fetch: async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.method !== "GET" && csrfToken) headers.set(CSRF_HEADER, csrfToken);
    const reason = reasonHere();
    if (reason) headers.set(REASON_HEADER, reason);
    const answer = await fetch(input, { ...init, headers });
    compareClock(answer.headers.get("Date"));
    return answer;
  },
});

export const SESSION_KEY = ["session"];

const askForSignIn = (error: Error) => {
  if (error instanceof Unauthorized) void cache.invalidateQueries({ queryKey: SESSION_KEY });
  if (error instanceof GantryError && error.code === "sign_in_again") mustSignInAgain.set(true);
};

/** What was read from the API. Events keep it current, so nothing is read again for its age. */
export const cache = new QueryClient({
  queryCache: new QueryCache({ onError: askForSignIn }),
  mutationCache: new MutationCache({ onError: askForSignIn }),
  defaultOptions: {
    queries: { retry: false, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});
