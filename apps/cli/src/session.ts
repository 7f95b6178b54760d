import { execSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CallRecord, Gantry } from "@gantry/client";
import { checkoutAbove } from "./checkout.js";
import { ConfigFile, type Context } from "./config.js";
import { CommandError, EXIT } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

/** The flags that every command has, as commander gives them. */
export interface GlobalOptions {
  api?: string;
  context?: string;
  account?: string;
  output?: "table" | "wide" | "json" | "yaml" | "name";
  json?: boolean;
  columns?: string;
  quiet?: boolean;
  verbose?: boolean;
  color?: boolean;
  input?: boolean;
  wait?: boolean;
  /** In milliseconds. */
  timeout?: number;
  dryRun?: boolean;
  exitCode?: boolean;
  yes?: boolean;
  idempotencyKey?: string;
  keyPrefix?: string;
  reason?: string;
}

/** Where and as whom a command calls the API. */
export class Session {
  #gantry: Gantry | undefined;

  constructor(
    readonly options: GlobalOptions,
    readonly terminal: Terminal,
  ) {}

  /** The context that flags, environment and configuration choose; undefined if there is none. */
  context(): (Context & { name: string | undefined }) | undefined {
    const { env } = this.terminal;
    const { current, contexts } = new ConfigFile(env).read();
    const byFlags = this.options.api !== undefined || this.options.context !== undefined;
    const name = byFlags ? this.options.context : env.GANTRY_CONTEXT || (env.GANTRY_URL ? undefined : current);
    const context = name === undefined ? undefined : contexts[name];
    if (name !== undefined && !context) {
      const known = Object.keys(contexts);
      throw new CommandError(`there is no context ${name}`, EXIT.wrongUse, [
        known.length > 0 ? `contexts: ${known.join(", ")}` : "gantry login",
      ]);
    }
    const url = this.options.api ?? (context ? context.url : env.GANTRY_URL);
    if (url) return { ...context, url, name };
    const local = localGantry(process.cwd());
    return local && { ...local, name: "local" };
  }

  /** @throws CommandError if there is no address or no token */
  get gantry(): Gantry {
    if (this.#gantry) return this.#gantry;
    const context = this.#address();
    // The token of the environment belongs to the address of the environment.
    const token = context.name === undefined ? this.terminal.env.GANTRY_TOKEN : this.#tokenOf(context);
    if (!token)
      throw new CommandError(`there is no token for ${context.url}`, EXIT.signIn, [`gantry login ${context.url}`]);
    this.#gantry = this.#client(context.url, token);
    return this.#gantry;
  }

  /** A client without a token, for signing in. */
  anonymous(url = this.#address().url): Gantry {
    return this.#client(url, undefined);
  }

  /** The account's name or id that flag, environment or context give; lists are of this account only. */
  givenAccount(): string | undefined {
    return this.options.account ?? (this.terminal.env.GANTRY_ACCOUNT || this.context()?.account);
  }

  #address(): NonNullable<ReturnType<Session["context"]>> {
    const context = this.context();
    if (context) return context;
    const known = Object.keys(new ConfigFile(this.terminal.env).read().contexts);
    throw new CommandError("Gantry's address is not known", EXIT.signIn, [
      ...(known.length > 0 ? [`gantry context use ${known.join(" | ")}`] : []),
      "gantry login https://gantry.example.com",
      "gantry up      starts a local Gantry, in a checkout",
      "or set GANTRY_URL and GANTRY_TOKEN",
    ]);
  }

  #tokenOf({ token, credential_command: command }: Context): string | undefined {
    if (!command) return token;
    try {
      // It may ask a person, but must not read what a program writes to the command.
      const stdin = this.terminal.isInteractive ? "inherit" : "ignore";
      return execSync(command, { encoding: "utf8", stdio: [stdin, "pipe", "inherit"] }).trim();
    } catch (error) {
      throw new CommandError(`credential_command failed: ${(error as Error).message}`, EXIT.signIn);
    }
  }

  #client(url: string, token: string | undefined): Gantry {
    const { verbose } = this.options;
    refuseOpenHttp(url, this.terminal.env);
    return new Gantry({
      baseUrl: url,
      token: token ?? "",
      userAgent: "gantry-cli",
      ...(verbose && { onCall: (call) => this.terminal.err.write(`${this.terminal.style("dim", lineOf(call))}\n`) }),
    });
  }
}

/** The Gantry that `npm start` runs from the checkout around a folder. */
function localGantry(folder: string): Context | undefined {
  const root = checkoutAbove(folder);
  const file = root && join(root, ".gantry", "local.json");
  if (!file || !existsSync(file)) return undefined;
  const { base_url: url, token } = JSON.parse(readFileSync(file, "utf8")) as { base_url: string; token: string };
  return { url, token };
}

/** A token must not cross a network in clear text. */
function refuseOpenHttp(url: string, env: NodeJS.ProcessEnv): void {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new CommandError(`${url} is not an address, such as https://gantry.example.com`, EXIT.wrongUse);
  }
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(parsed.hostname);
  if (parsed.protocol === "https:" || isLocal || env.GANTRY_INSECURE_HTTP) return;
  throw new CommandError(`${url} would send the token in clear text`, EXIT.wrongUse, [
    `use https://${parsed.host}`,
    "or set GANTRY_INSECURE_HTTP=1",
  ]);
}

function lineOf({ method, path, status, ms, attempt, traceId }: CallRecord): string {
  const again = attempt > 1 ? ` attempt ${attempt}` : "";
  return `${method} ${path} ${status ?? "no response"} ${Math.round(ms)} ms${again}${traceId ? ` trace ${traceId}` : ""}`;
}
