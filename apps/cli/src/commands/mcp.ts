import { Command } from "commander";
import { CommandError, EXIT } from "../exit-codes.js";
import { Session } from "../session.js";
import type { Builder } from "./builder.js";

interface Options {
  allowChanges?: boolean;
  maxMonthlyUsd?: string;
  http?: string | true;
}

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .option("--allow-changes", "let agents run plans and cancel requests; only reading and planning by default")
    .option("--max-monthly-usd <amount>", "refuse plans that cost more a month, or whose cost is not known")
    .option("--http [port]", "serve over HTTP on 127.0.0.1 instead of standard input and output")
    .addHelpText(
      "after",
      "\nOver HTTP, agents send the secret that is printed at start, or GANTRY_MCP_SECRET, as a bearer token.",
    )
    .action(async (options: Options, command: Command) => {
      const { options: flags, terminal } = sessionOf(command);
      // An agent cannot answer a question.
      await serve(new Session(flags, { ...terminal, isInteractive: false }), options);
    });

async function serve(session: Session, { allowChanges = false, maxMonthlyUsd, http }: Options): Promise<void> {
  const limit = amountOf(maxMonthlyUsd);
  const port = portOf(http);
  // The address and the token are checked now, and not by the first tool that an agent calls.
  const { scopes } = await session.gantry.tokens.current();
  if (allowChanges && !scopes.includes("write"))
    throw new CommandError("--allow-changes needs a token with the scope write", EXIT.notAllowed, [
      `this one has: ${scopes.join(", ")}`,
      "gantry login makes a token that may write",
    ]);
  const [{ Plans }, { serverOf }] = await Promise.all([import("../mcp/plans.js"), import("../mcp/server.js")]);
  const plans = new Plans(session, limit);
  const factory = () => serverOf(plans, { allowChanges });
  await (port === undefined ? overStdio(factory) : overHttp(session, factory, port));
}

type Factory = () => import("@modelcontextprotocol/server").McpServer;

async function overStdio(factory: Factory): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const handle = serveStdio(factory);
  await Promise.race([interrupted(), new Promise((resolve) => process.stdin.once("close", resolve))]);
  await handle.close();
}

async function overHttp({ terminal }: Session, factory: Factory, port: number): Promise<void> {
  const { newSecret, serveHttp } = await import("../mcp/http.js");
  const given = terminal.env.GANTRY_MCP_SECRET;
  const secret = given || newSecret();
  const server = await serveHttp(factory, port, secret);
  terminal.err.write(`${server.url}\n${given ? "" : `Authorization: Bearer ${secret}\n`}`);
  await interrupted();
  await server.close();
}

function interrupted(): Promise<unknown> {
  return Promise.race(
    (["SIGINT", "SIGTERM"] as const).map((signal) => new Promise((resolve) => process.once(signal, resolve))),
  );
}

function amountOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const amount = Number(text);
  if (text.trim() !== "" && Number.isFinite(amount) && amount >= 0) return amount;
  throw new CommandError(`--max-monthly-usd: ${text} is not an amount, such as 50`);
}

/** 0 is any free port. */
function portOf(http: Options["http"]): number | undefined {
  if (http === undefined) return undefined;
  const port = http === true ? 0 : Number(http);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new CommandError(`--http: ${http} is not a port`);
}
