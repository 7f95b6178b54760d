import { hostname } from "node:os";
import { text as textOf } from "node:stream/consumers";
import { NotFound, Unauthorized } from "@gantry/client";
import { Command } from "commander";
import { type Config, ConfigFile, type Context } from "../config.js";
import { CommandError, EXIT } from "../exit-codes.js";
import { ask } from "../prompts.js";
import { type GlobalOptions, Session } from "../session.js";
import type { Terminal } from "../terminal.js";
import type { Builder } from "./builder.js";
import { exchange, identityTokenOf } from "./identity-token.js";

interface Options {
  email?: string;
  passwordStdin?: boolean;
  tokenStdin?: boolean;
  identityTokenStdin?: boolean;
  serviceToken?: string;
  browser?: boolean;
  secrets?: boolean;
  admin?: boolean;
  name?: string;
}

const DAYS = 90;
/** The most characters of a token that Gantry makes. */
const TOKEN_LENGTH = 64;

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .argument("[url]", "the address of Gantry")
    .option("--email <email>", "sign in with this address and a password")
    .option("--password-stdin", "read the password from standard input")
    .option("--token-stdin", "read a token from standard input, and keep it")
    .option("--identity-token-stdin", "exchange the identity token of a pipeline, from standard input")
    .option("--service-token <id>", "the service token that trusts the pipeline, if several do")
    .option("--browser", "sign in at the issuer, in the browser")
    .option("--secrets", "the token may also read secrets")
    .option("--admin", "the token may also administrate accounts")
    .option("--name <name>", "the name of the context (default: the host)")
    .action(async (url: string | undefined, options: Options, command: Command) =>
      login(sessionOf(command), url, options),
    );

async function login(session: Session, given: string | undefined, options: Options): Promise<void> {
  const { terminal } = session;
  const url = (
    given ??
    (await askFor(terminal, { message: "Gantry's address", initialValue: knownUrl(session) }, "the address is missing"))
  ).replace(/\/+$/, "");
  const file = new ConfigFile(terminal.env);
  // A token that could not be kept is not made. The name that is found later is no longer than the address.
  file.check(
    withContext(file.read(), options.name ?? url, { url, token: " ".repeat(TOKEN_LENGTH), made_by_login: true }),
  );
  const token = await tokenOf(session, url, options);
  const config = file.read();
  const host = new URL(url).host;
  const name = options.name ?? (await freeName(session, config, host, token));
  const isOwn = !options.tokenStdin;
  file.write(withContext(config, name, { url, token, ...(isOwn && { made_by_login: true }) }));
  const { context: _, api: __, ...rest } = session.options as GlobalOptions;
  const signedIn = new Session({ ...rest, context: name }, terminal);
  const [user, { expires_at }] = await Promise.all([signedIn.gantry.users.current(), signedIn.gantry.tokens.current()]);
  const until = expires_at ? `ends ${endOf(expires_at)}` : "does not end";
  terminal.err.write(
    `${terminal.style("green", "✓")} Signed in as ${user.name}. The token ${until}.\n  Kept in ${file.path}, context ${name}. Next: gantry init\n${
      options.name === undefined && name !== host
        ? `  The context ${host} keeps its own token: gantry context use ${host}\n`
        : ""
    }`,
  );
}

function withContext(config: Config, name: string, context: Context): Config {
  return { current: name, contexts: { ...config.contexts, [name]: context } };
}

/** The host, or the host with a number while contexts with other tokens that still work have these names. */
async function freeName(
  { terminal, options }: Session,
  { contexts }: Config,
  host: string,
  token: string,
): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host}-${number}`;
    const known = contexts[name];
    if (!known || known.token === token) return name;
    const { api: _, ...rest } = options;
    try {
      await new Session({ ...rest, context: name }, terminal).gantry.tokens.current();
    } catch (error) {
      if (error instanceof Unauthorized) return name;
      // Nobody knows whether its token still works.
    }
  }
}

async function tokenOf(session: Session, url: string, options: Options): Promise<string> {
  const { terminal } = session;
  const anonymous = session.anonymous(url);
  // An address of anything else must not get the password.
  await anonymous.call("GET", "/version").catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new CommandError(`${url} is not Gantry, or older than version 0.2`, EXIT.unreachable);
  });
  if (options.tokenStdin) return (await textOf(terminal.in)).trim();
  if (options.browser)
    return (await import("./browser-sign-in.js")).signIn(session, url, {
      name: tokenName(),
      scopes: scopesOf(options),
    });
  const identityToken = options.email === undefined ? await identityTokenOf(session, url, options) : undefined;
  if (identityToken !== undefined) return exchange(session, url, identityToken, options.serviceToken);
  const email =
    options.email ?? (await askFor(terminal, { message: "E-mail" }, "--email, --token-stdin or --browser is missing"));
  const password = options.passwordStdin
    ? (await textOf(terminal.in)).replace(/\r?\n$/, "")
    : await askForPassword(terminal);
  const expires = new Date(Date.now() + DAYS * 86_400_000).toISOString();
  const { api_token } = await anonymous.tokens.create({
    email,
    password,
    token: { name: tokenName(), scopes: scopesOf(options), expires_at: expires },
  });
  return api_token as string;
}

/** The day on which a token ends; its time, too, if that is within a day. */
function endOf(expiresAt: string): string {
  const isSoon = new Date(expiresAt).getTime() - Date.now() < 86_400_000;
  return isSoon ? `${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC` : expiresAt.slice(0, 10);
}

function tokenName(): string {
  return `gantry on ${hostname().slice(0, 70)}, ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function scopesOf({ secrets, admin }: Options): ("read" | "write" | "secrets:read" | "admin")[] {
  return ["read", "write", ...(secrets ? (["secrets:read"] as const) : []), ...(admin ? (["admin"] as const) : [])];
}

function knownUrl(session: Session): string {
  return session.context()?.url ?? "http://127.0.0.1:3000";
}

async function askFor(
  terminal: Terminal,
  question: { message: string; initialValue?: string },
  missing: string,
): Promise<string> {
  if (!terminal.isInteractive) throw new CommandError(missing, EXIT.wrongUse, ["gantry login --help"]);
  return ask(terminal, ({ text }, place) => text({ ...question, ...place }));
}

async function askForPassword(terminal: Terminal): Promise<string> {
  if (!terminal.isInteractive)
    throw new CommandError("--password-stdin is missing", EXIT.wrongUse, [
      "gantry login --email … --password-stdin < FILE",
    ]);
  return ask(terminal, ({ password }, place) => password({ message: "Password", ...place }));
}
