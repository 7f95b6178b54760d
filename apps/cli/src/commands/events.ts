import type { EventStream, GantryEvent, Resources } from "@gantry/client";
import { Command } from "commander";
import { CommandError, EXIT } from "../exit-codes.js";
import { accountOf } from "../names.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import { textOf } from "../table.js";
import { type Builder, collect } from "./builder.js";
import { maxOf } from "./max.js";

const PAGE = 1000;

/** The flags of all commands that show events. */
export interface EventOptions {
  after?: string;
  max?: string;
  all?: boolean;
  follow?: boolean;
}

/** `events list` and `events tail`, the events of the account. */
export const build: Builder = (name, sessionOf) => {
  const follows = name === "tail";
  const command = new Command(name)
    .description(
      follows
        ? "Follow the events of an account until Ctrl-C or --timeout; with --json, one document in each line"
        : "List past events of an account, newest last",
    )
    .option("--type <type>", "only events of this type; may be repeated", collect)
    .option("--subject <record>", "only events of one record, such as server/3");
  if (follows) command.option("--after <id>", AFTER.replace("; ", ", or now; "), "now");
  else addListOptions(command);
  return command.action(async (given: EventOptions & { type?: string[]; subject?: string }, own: Command) => {
    const session = sessionOf(own);
    const { type, subject, ...options } = given;
    const path = `/accounts/${await accountOf(session)}/events`;
    await showEvents(session, { path, query: { type, subject } }, { ...options, follow: follows });
  });
};

const AFTER = "start after this event; beginning for the oldest that is kept";

/** The flags of a list of events. */
export function addListOptions(command: Command): void {
  command
    .option("--after <id>", AFTER)
    .option("--max <number>", "show at most this many events: the newest, or the first with --after (default: 100)")
    .option("--all", "show all events that are kept");
}

interface Events {
  path: string;
  query: Record<string, unknown>;
}

/** Lists events, or shows them as they happen with `follow`. */
export async function showEvents(
  session: Session,
  { path, query }: Events,
  { after: given, max, all = false, follow = false }: EventOptions,
): Promise<void> {
  const after = given === "beginning" || given === "0" ? undefined : given;
  if (follow) return tail(session, path, { ...query, after });
  const most = all ? Number.POSITIVE_INFINITY : maxOf(max);
  await list(session, { path, query }, { after, most, isFromStart: given !== undefined });
}

async function list(
  session: Session,
  { path, query }: Events,
  { after, most, isFromStart }: { after: string | undefined; most: number; isFromStart: boolean },
): Promise<void> {
  let events: GantryEvent[] = [];
  let left = 0;
  let next = after;
  const isNewest = !isFromStart && most < PAGE;
  // One more shows whether there are older ones.
  const part = isNewest ? { newest: true, limit: most + 1 } : { limit: PAGE };
  for (let isLast = false; !isLast; ) {
    const { body } = await session.gantry.call("GET", path, { query: { ...query, after: next, ...part } });
    const page = body as { events: GantryEvent[]; next: string };
    const known = [...events, ...page.events];
    events = isFromStart ? known.slice(0, most) : known.slice(-most);
    left += known.length - events.length;
    next = page.next;
    isLast = isNewest || page.events.length < PAGE || (isFromStart && left > 0);
  }
  const rows = events.map(({ id, type, created_at, subject, message, record }) => ({
    time: created_at,
    id,
    type,
    subject: `${subject.type}/${subject.id}`,
    details: detailsOf({ record, message }),
  }));
  const columns = ["time", "id", "type", "subject", "details"];
  await print(session, { document: { events, next: events.at(-1)?.id ?? next }, rows, columns, empty: "No events." });
  if (left === 0 || session.options.quiet) return;
  session.terminal.err.write(
    isFromStart
      ? `There are more: --after ${events.at(-1)?.id} goes on, --all shows all\n`
      : "Older ones are left out; --all shows all\n",
  );
}

type StreamOf = Resources["accounts"]["events"];

/** Shows the events at a path until Ctrl-C or `--timeout`, or until the Request that they are about ends. */
async function tail(session: Session, path: string, query: Record<string, unknown>): Promise<void> {
  const { gantry, terminal, options } = session;
  const [collection, id = ""] = path.split("/").slice(1);
  const read: StreamOf = collection === "requests" ? gantry.requests.events : gantry.accounts.events;
  const timeout = options.timeout === undefined ? undefined : AbortSignal.timeout(options.timeout);
  const interrupted = new AbortController();
  process.on("SIGINT", () => interrupted.abort());
  const signal = AbortSignal.any([interrupted.signal, ...(timeout ? [timeout] : [])]);
  const { type: types, ...rest } = query as { type?: GantryEvent["type"][] };
  const stream: EventStream = read(id, {
    ...rest,
    types,
    signal,
    onContact: ({ lost, reason }) =>
      terminal.err.write(lost ? `no contact, trying: ${reason}\n` : "in contact again\n"),
  });
  const isJson = options.json || options.output === "json";
  for await (const event of stream) {
    terminal.out.write(`${isJson ? JSON.stringify(event) : lineOf(event)}\n`);
    const isEnd = ["request.finished", "request.failed", "request.cancelled"].includes(event.type);
    if (collection === "requests" && isEnd && event.subject.id === id) return;
  }
  const hints = stream.cursor && stream.cursor !== "now" ? [`go on with: --after ${stream.cursor}`] : [];
  const hasWaited = timeout?.aborted && !interrupted.signal.aborted;
  if (hasWaited) throw new CommandError("waited long enough for events", EXIT.waitedEnough, hints);
  throw new CommandError("stopped", EXIT.interrupted, hints);
}

function lineOf(event: GantryEvent): string {
  const { id, type, created_at, subject } = event;
  return [created_at.slice(11, 19), id, type, `${subject.type}/${subject.id}`, detailsOf(event)]
    .filter(Boolean)
    .join("  ");
}

function detailsOf({ record, message }: Pick<GantryEvent, "record" | "message">): string {
  const { name, state, stage } = (record ?? {}) as Record<string, unknown>;
  return [name, stage, state, message].map(textOf).filter(Boolean).join("  ");
}
