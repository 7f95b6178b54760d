import { version } from "@gantry/client";
import { Command } from "commander";
import { print } from "../print.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name).action(async (_options: object, command: Command) => {
    const session = sessionOf(command);
    const context = session.context();
    const server = context
      ? await session
          .anonymous()
          .version.get({ maxRetries: 0, timeoutMs: 3000 })
          .then(
            ({ version: text }) => text,
            (error: Error) => error.message,
          )
      : null;
    const record = { gantry: version, node: process.versions.node, api: server ?? "no address; gantry login" };
    await print(session, { document: { gantry: version, node: process.versions.node, api: server }, record });
  });
