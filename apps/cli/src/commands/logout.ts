import { type CurrentToken, Unauthorized } from "@gantry/client";
import { Command } from "commander";
import { ConfigFile } from "../config.js";
import { CommandError, EXIT } from "../exit-codes.js";
import { agrees } from "../prompts.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => logout(sessionOf(command)));

async function logout(session: Session): Promise<void> {
  const { terminal } = session;
  const context = session.context();
  if (!context?.name)
    throw new CommandError("there is no context to sign out of", EXIT.wrongUse, ["gantry context list"]);
  const { name } = context;
  const token = context.token ? await currentToken(session) : undefined;
  if (token) {
    await confirm(session, { name, token: token.name, isOwn: context.made_by_login === true });
    await session.gantry.tokens.delete(token.id);
  }
  const file = new ConfigFile(terminal.env);
  const { current, contexts } = file.read();
  delete contexts[name];
  file.write({ ...(current !== undefined && current !== name && { current }), contexts });
  const others = Object.keys(contexts);
  terminal.err.write(
    `Signed out of ${name}. ${token ? `Its token “${token.name}” is revoked.` : "It had no token that could be revoked."}\n${
      others.length > 0 && current === name ? `  gantry context use ${others.join(" | ")}\n` : ""
    }`,
  );
}

/** The token of the context; undefined if it does not work anymore. */
async function currentToken(session: Session): Promise<CurrentToken | undefined> {
  try {
    return await session.gantry.tokens.current();
  } catch (error) {
    if (error instanceof Unauthorized) return undefined;
    throw error;
  }
}

/** Names what is revoked. A token that others may use, too, is revoked only after a yes. */
async function confirm(
  { terminal, options }: Session,
  { name, token, isOwn }: { name: string; token: string; isOwn: boolean },
): Promise<void> {
  if (options.yes) return;
  const instead = isOwn ? [] : [`gantry context remove ${name}    forgets it, and keeps the token`];
  const origin = isOwn ? "" : ", which gantry login did not create";
  if (terminal.isInteractive) {
    if (await agrees(terminal, `revoke the token “${token}”${origin}?`)) return;
    throw new CommandError("nothing was done", EXIT.notAllowed, instead);
  }
  if (isOwn) return;
  throw new CommandError(`this would revoke the token “${token}”${origin}: add --yes`, EXIT.wrongUse, instead);
}
