import { Command } from "commander";
import { ConfigFile } from "../config.js";
import { CommandError, EXIT } from "../exit-codes.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder, SessionOf } from "./builder.js";

export const build: Builder = (name, sessionOf) => {
  const group = new Command(name).helpCommand(false);
  group
    .command("list")
    .description("list the contexts")
    .action(async (_options: object, command: Command) => list(sessionOf, command));
  group
    .command("use")
    .description("use another context from now on")
    .argument("<name>")
    .action((wanted: string, _options: object, command: Command) => {
      const { file, config } = open(sessionOf, command, wanted);
      file.write({ ...config, current: wanted });
      say(sessionOf(command), `${wanted} is now the context: ${config.contexts[wanted]?.url}`);
    });
  group
    .command("set")
    .description("change a context")
    .argument("[name]", "the current one by default")
    .option("--url <url>", "its address")
    .option("--default-account <account>", "the account of calls that name none")
    .option("--credential-command <command>", "a command that prints the token, which is then kept nowhere")
    .action((wanted: string | undefined, options: Record<string, string | undefined>, command: Command) => {
      const { file, config, name: known } = open(sessionOf, command, wanted);
      const { token, ...before } = config.contexts[known] ?? { url: "" };
      const { url, defaultAccount: account, credentialCommand } = options;
      const next = {
        ...before,
        ...(url && { url }),
        ...(account && { account }),
        ...(credentialCommand ? { credential_command: credentialCommand } : { ...(token && { token }) }),
      };
      file.write({ ...config, contexts: { ...config.contexts, [known]: next } });
      say(sessionOf(command), `${known} is changed`);
    });
  group
    .command("remove")
    .description("forget a context; gantry logout also revokes its token")
    .argument("<name>")
    .action((wanted: string, _options: object, command: Command) => {
      const { file, config } = open(sessionOf, command, wanted);
      const { [wanted]: _, ...contexts } = config.contexts;
      const { current, ...rest } = config;
      file.write({ ...rest, ...(current !== undefined && current !== wanted && { current }), contexts });
      say(sessionOf(command), `${wanted} is forgotten; its token still works`);
    });
  return group;
};

async function list(sessionOf: SessionOf, command: Command): Promise<void> {
  const session = sessionOf(command);
  const { current, contexts } = new ConfigFile(session.terminal.env).read();
  const rows = Object.entries(contexts).map(([name, { url, account = null, token, credential_command: source }]) => ({
    name,
    current: name === current,
    url,
    account,
    credentials: source ?? (token ? "kept in the file" : null),
  }));
  const columns = ["name", "current", "url", "account", "credentials"];
  await print(session, { document: { contexts: rows }, rows, columns, empty: "No contexts. gantry login makes one." });
}

function say({ terminal, options }: Session, text: string): void {
  if (!options.quiet) terminal.err.write(`${terminal.style("green", "✓")} ${text}\n`);
}

function open(sessionOf: SessionOf, command: Command, wanted?: string) {
  const file = new ConfigFile(sessionOf(command).terminal.env);
  const config = file.read();
  const name = wanted ?? config.current ?? "";
  if (!config.contexts[name]) {
    throw new CommandError(`there is no context ${name}`, EXIT.notFound, [
      `contexts: ${Object.keys(config.contexts).join(", ") || "none; gantry login"}`,
    ]);
  }
  return { file, config, name };
}
