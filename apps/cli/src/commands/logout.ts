import { Unauthorized } from "@gantry/client";
import { Command } from "commander";
import { ConfigFile } from "../config.js";
import { CommandError, EXIT } from "../exit-codes.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => logout(sessionOf(command)));

async function logout(session: Session): Promise<void> {
  const { terminal } = session;
  const context = session.context();
  if (!context?.name)
    throw new CommandError("there is no context to sign out of", EXIT.wrongUse, ["gantry context list"]);
  if (context.token) {
    try {
      const { id } = await session.gantry.tokens.current();
      await session.gantry.tokens.delete(id);
    } catch (error) {
      if (!(error instanceof Unauthorized)) throw error;
    }
  }
  const file = new ConfigFile(terminal.env);
  const { current, contexts } = file.read();
  delete contexts[context.name];
  file.write({ ...(current !== undefined && current !== context.name && { current }), contexts });
  terminal.err.write(`Signed out of ${context.name}. Its token is revoked.\n`);
}
