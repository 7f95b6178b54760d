import type { EventStream, GantryEvent, Resources } from "@gantry/client";
import { Command } from "commander";
import { CommandError, EXIT } from "../exit-codes.js";
import { accountOf } from "../names.js";
import type { Session } from "../session.js";
import { textOf } from "../table.js";
import { type Builder, collect } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .description("Show the events of an account as they happen; with --json, one document in each line")
    .option("--after <id>", "the id of the last event that was read; now by default", "now")
    .option("--type <type>", "only events of this type; may be repeated", collect)
    .option("--subject <record>", "only events of one record, such as server/3")
    .action(async (options: { after: string; type?: string[]; subject?: string }, command: Command) => {
      const session = sessionOf(command);
      const path = `/accounts/${await accountOf(session)}/events`;
      await tailEvents(session, path, { after: options.after, type: options.type, subject: options.subject });
    });

type StreamOf = Resources["accounts"]["events"];

/** Shows the events at a path until Ctrl-C, or until the Request that they are about ends. */
export async function tailEvents(session: Session, path: string, query: Record<string, unknown>): Promise<void> {
  const { gantry, terminal, options } = session;
  const [collection, id = ""] = path.split("/").slice(1);
  const read: StreamOf = collection === "requests" ? gantry.requests.events : gantry.accounts.events;
  const stop = new AbortController();
  process.on("SIGINT", () => stop.abort());
  const { after, type, subject } = query as { after?: string; type?: GantryEvent["type"][]; subject?: string };
  const stream: EventStream = read(id, {
    after,
    types: type,
    subject,
    signal: stop.signal,
    onContact: ({ lost, reason }) =>
      terminal.err.write(lost ? `no contact, trying: ${reason}\n` : "in contact again\n"),
  });
  const isJson = options.json || options.output === "json";
  for await (const event of stream) {
    terminal.out.write(`${isJson ? JSON.stringify(event) : lineOf(event)}\n`);
    const isEnd = ["request.finished", "request.failed", "request.cancelled"].includes(event.type);
    if (collection === "requests" && isEnd && event.subject.id === id) return;
  }
  throw new CommandError("stopped", EXIT.interrupted, stream.cursor ? [`go on with: --after ${stream.cursor}`] : []);
}

function lineOf({ id, type, created_at, subject, message, record }: GantryEvent): string {
  const { name, state, stage } = (record ?? {}) as Record<string, unknown>;
  const details = [name, stage, state, message].map(textOf).filter(Boolean);
  return [created_at.slice(11, 19), id, type, `${subject.type}/${subject.id}`, ...details].join("  ");
}
