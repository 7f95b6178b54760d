import { text as textOf } from "node:stream/consumers";
import { CommandError, EXIT } from "../exit-codes.js";
import type { Session } from "../session.js";

const ATTEMPTS = 3;
const TIMEOUT_MS = 10_000;

/**
 * The identity token of the job that runs the command: from standard input, from `GANTRY_IDENTITY_TOKEN`, or from GitHub
 * Actions, for the address as its audience. Undefined if there is none.
 *
 * @throws CommandError if GitHub Actions gives none to this job
 */
export async function identityTokenOf(
  { terminal }: Session,
  url: string,
  { identityTokenStdin }: { identityTokenStdin?: boolean },
): Promise<string | undefined> {
  if (identityTokenStdin) return (await textOf(terminal.in)).trim();
  const { env } = terminal;
  if (env.GANTRY_IDENTITY_TOKEN) return env.GANTRY_IDENTITY_TOKEN.trim();
  const { ACTIONS_ID_TOKEN_REQUEST_URL: requestUrl, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = env;
  if (requestUrl && requestToken) return fromGitHub(requestUrl, requestToken, url);
  if (env.GITHUB_ACTIONS !== "true") return undefined;
  throw new CommandError("GitHub Actions gives this job no identity token", EXIT.signIn, [
    "add to the job: permissions: { id-token: write, contents: read }",
  ]);
}

/** Exchanges an identity token for a short token of the service that trusts it. */
export async function exchange(
  session: Session,
  url: string,
  identityToken: string,
  given: string | undefined,
): Promise<string> {
  const serviceToken = given ?? (session.terminal.env.GANTRY_SERVICE_TOKEN || undefined);
  const { api_token: token } = await session.anonymous(url).signIn.exchangeIdentityToken({
    identity_token: identityToken,
    ...(serviceToken !== undefined && { service_token: serviceToken }),
  });
  if (token) return token;
  throw new CommandError("the response with the token was lost", EXIT.unreachable, ["gantry login again"]);
}

async function fromGitHub(requestUrl: string, requestToken: string, audience: string): Promise<string> {
  const target = new URL(requestUrl);
  target.searchParams.set("audience", audience);
  const headers = { Authorization: `bearer ${requestToken}`, Accept: "application/json" };
  for (let attempt = 1; ; attempt++) {
    const problem = await fetch(target, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
      async (answer) => {
        if (!answer.ok) return `it answered ${answer.status}`;
        const { value } = (await answer.json()) as { value?: unknown };
        return typeof value === "string" ? { value } : "its answer has no token";
      },
      (error: Error) => error.message,
    );
    if (typeof problem === "object") return problem.value;
    if (attempt === ATTEMPTS)
      throw new CommandError(`GitHub Actions gave no identity token: ${problem}`, EXIT.unreachable);
    await new Promise((resolve) => setTimeout(resolve, 1000 * attempt));
  }
}
