import { Command } from "commander";
import { idOf } from "../names.js";
import { print } from "../print.js";
import { follow } from "../progress/follow.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .description("Follow a request to its end, from its first event")
    .argument("<request>", "the id of a request")
    .action(async (text: string, _options: object, command: Command) => {
      const session = sessionOf(command);
      const handle = session.gantry.requests.resume(await idOf(session, "requests", text));
      await handle.refresh();
      await follow(session, handle);
      await print(session, {
        document: { request: handle.record },
        record: session.options.quiet ? { id: handle.id } : {},
      });
    });
