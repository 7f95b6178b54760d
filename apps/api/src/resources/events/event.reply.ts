import type { Event } from "@gantry/db";
import {
  type EventCursor,
  type EventPage,
  type EventSelection,
  eventRecord,
  idOfCursor,
  type Link,
  renderEvent,
} from "@gantry/resources";
import type { Log } from "@gantry/runtime";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { HttpError } from "../../http/errors/errors.js";
import type { Reply, ReplyContext } from "../../http/reply/reply.js";

/** What a handler selects of an account's events. */
export interface SelectedEvents extends Omit<EventSelection, "accountIds"> {
  reader: Caller;
  accountId: string;
  /** The cursor after which reading begins; the present if absent. */
  after: EventCursor | undefined;
  limit: number;
  /** True if reading begins with the newest events instead of the oldest. */
  isNewest: boolean;
  /** How long a page without events waits for one. */
  waitSeconds: number;
}

const EVENT_STREAM = "text/event-stream";
const STREAM_ACCEPTED = /text\/(event-stream|\*)/i;

/** How often the token is looked up again. */
const CHECK_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** The time after which a reader whose stream was cut reconnects. */
const RETRY_MS = 2000;

/** 200 with a page of events, or with a stream of server-sent events if the caller accepts that. */
export const events: Reply<SelectedEvents> = {
  status: 200,
  schema: z.object({
    events: z.array(eventRecord),
    next: z.string().describe("The cursor for `after` in the next call"),
  }),
  alternative: EVENT_STREAM,
  refusals: [410],
  render: async (selected, context) => {
    const { accountId, after, limit, isNewest, waitSeconds } = selected;
    const accountIds = [accountId];
    const first = await context.events.readStored({ ...selected, accountIds }, after, limit, isNewest);
    requireNoGap(first);
    if (STREAM_ACCEPTED.test(context.header("accept") ?? "")) {
      const chunks = serverSentEvents(selected, first, context);
      return { stream: { mediaType: EVENT_STREAM, chunks }, headers: { "X-Accel-Buffering": "no" } };
    }
    const isWaiting = waitSeconds > 0 && first.events.length === 0;
    const { events: rows, cursor } = isWaiting ? await nextPage(selected, first, context) : first;
    const rendered = rows.map((row) => renderEvent(row, context.link, context.log));
    return { body: { events: rendered, next: idOfCursor(cursor) } };
  },
};

const GAPS = {
  removed: "events after this cursor are no longer kept; omit `after` to start from the oldest event",
  lost: "this cursor refers to events that the database no longer has, for example because it was restored from a backup; omit `after` to start from the oldest event",
};

/** @throws 410 if the reader would miss events, or has read events that the database lost */
function requireNoGap({ gap }: EventPage): void {
  if (gap) throw new HttpError(410, "gone", [GAPS[gap]]);
}

/** The next page that has events, or the last one before the time is up. */
async function nextPage(selected: SelectedEvents, first: EventPage, context: ReplyContext): Promise<EventPage> {
  const { events: feed } = context;
  const follower = feed.follow(selected.accountId);
  const end = Date.now() + selected.waitSeconds * 1000;
  let page = first;
  try {
    while (page.events.length === 0 && Date.now() < end && !feed.closed && !context.hasLeft()) {
      await follower.changed(Math.min(CHECK_MS, Math.max(1, end - Date.now())));
      await requireAccess(selected, context.identities);
      page = await follower.read(selected, page.cursor, selected.limit);
      requireNoGap(page);
    }
    return page;
  } finally {
    follower.close();
  }
}

/** Events in the order of their arrival, until the reader leaves, its token or role ends, or the process stops. */
async function* serverSentEvents(
  selected: SelectedEvents,
  first: EventPage,
  { events: feed, identities, log, link }: ReplyContext,
): AsyncGenerator<string> {
  const follower = feed.follow(selected.accountId);
  let quietSince = Date.now();
  let page = first;
  try {
    // With its cursor, so that a reader that is cut off before the first event continues from there.
    yield `retry: ${RETRY_MS}\n${first.events.length === 0 ? `id: ${idOfCursor(first.cursor)}\n` : ""}\n`;
    while (!feed.closed && (await mayGoOn(selected, identities))) {
      if (page.events.length > 0) {
        quietSince = Date.now();
        yield page.events.map((row) => messageOf(row, link, log)).join("");
      }
      if (page.events.length < selected.limit) await follower.changed(CHECK_MS);
      else await feed.nextTurn();
      if (Date.now() - quietSince > HEARTBEAT_MS) {
        quietSince = Date.now();
        // An id without data moves the cursor at which the reader resumes.
        yield `: nothing new\nid: ${idOfCursor(page.cursor)}\n\n`;
      }
      page = await follower.read(selected, page.cursor, selected.limit);
      // The reader reconnects with its cursor; this event asks it to.
      if (page.gap) return;
    }
  } finally {
    follower.close();
  }
}

async function mayGoOn(selected: SelectedEvents, identities: ReplyContext["identities"]): Promise<boolean> {
  try {
    await requireAccess(selected, identities);
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** @throws 401 if the reader's token has ended, 403 if its role in the account has */
async function requireAccess(
  { reader, accountId }: SelectedEvents,
  identities: ReplyContext["identities"],
): Promise<void> {
  await reader.renew(identities.refresh);
  reader.require("read", accountId);
}

/** The texts of events, for all of their readers. */
const texts = new WeakMap<Event, { account: string; text: string }>();

function messageOf(row: Event, link: Link, log: Log): string {
  const account = link("accounts", row.accountId);
  const known = texts.get(row);
  if (known?.account === account) return known.text;
  const record = renderEvent(row, link, log);
  const text = `id: ${record.id}\nevent: ${record.type}\ndata: ${JSON.stringify(record)}\n\n`;
  texts.set(row, { account, text });
  return text;
}
