import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CommandError, EXIT } from "../exit-codes.js";
import type { Session } from "../session.js";

const WAIT_MS = 5 * 60_000;

/** Signs in at the issuer, in the browser of this machine (RFC 8252: authorization code with PKCE on loopback). */
export async function signIn(
  session: Session,
  url: string,
  token: { name: string; scopes: readonly string[] },
): Promise<string> {
  const { terminal } = session;
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  // Loading it takes longer than most commands, which need none.
  const { createServer } = await import("node:http");
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/done`;
  const start = new URL(`${url}/sign-in`);
  start.searchParams.set("redirect_uri", redirect);
  start.searchParams.set("code_challenge", createHash("sha256").update(verifier).digest("base64url"));
  start.searchParams.set("code_challenge_method", "S256");
  start.searchParams.set("state", state);
  terminal.err.write(`Open this address if no browser opens:\n  ${start.href}\n`);
  if (!terminal.env.GANTRY_NO_BROWSER) open(start.href);
  try {
    const answer = await codeFrom(server);
    if (answer.get("state") !== state)
      throw new CommandError("the answer of the browser belongs to another sign-in", EXIT.signIn);
    const code = answer.get("code");
    if (!code) throw new CommandError(`the sign-in was refused: ${answer.get("error") ?? "no code"}`, EXIT.signIn);
    const body = { code, code_verifier: verifier, redirect_uri: redirect, token };
    const reply = await session.anonymous(url).call("POST", "/sign-in/token", { body });
    return (reply.body as { api_token: string }).api_token;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function codeFrom(server: Server): Promise<URLSearchParams> {
  const signal = AbortSignal.timeout(WAIT_MS);
  for (;;) {
    const [request, response] = (await once(server, "request", { signal }).catch(() => {
      throw new CommandError("nobody signed in within five minutes", EXIT.signIn);
    })) as [IncomingMessage, ServerResponse];
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    response.setHeader("Content-Type", "text/plain; charset=utf-8").setHeader("Connection", "close");
    if (pathname === "/done") {
      response.end("You are signed in. Close this page and go back to the terminal.\n");
      return searchParams;
    }
    response.writeHead(404).end("not found\n");
  }
}

function open(url: string): void {
  const [program, ...words] =
    process.platform === "darwin"
      ? ["open", url]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", url.replaceAll("&", "^&")]
        : ["xdg-open", url];
  spawn(program as string, words, { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
