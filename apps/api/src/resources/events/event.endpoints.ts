import { cursorOf, EVENT_TYPES, type EventSelection, field, START } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { invalid } from "../../http/errors/errors.js";
import { flag } from "../../http/input/input.js";
import { subjectText } from "../../http/lists/filters.js";
import { events, type SelectedEvents } from "./event.reply.js";

const query = {
  after: field(
    z.string().max(60).optional(),
    "771-12",
    "The id of the last event read, or `now`; if omitted, reading starts from the oldest event",
  ),
  newest: flag.describe("True to begin with the newest events instead of the oldest; not together with `after`"),
  wait: z.coerce.number().min(0).max(60).default(0).describe("Seconds to wait for an event if there is none"),
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe("The maximum number of events"),
  type: z
    .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(z.enum(EVENT_TYPES)).max(50))
    .optional()
    .describe("Only events of these types"),
  subject: subjectText.optional().describe("Only events of one record, such as `server/3`"),
};

type Query = z.output<z.ZodObject<typeof query>>;

export const eventEndpoints = [
  endpoint({
    route: "GET /accounts/:account/events",
    summary: "Read an account's events, as JSON or as a stream of server-sent events",
    query,
    reply: events,
    handle: async ({ params, query, caller, header }) => {
      const { id } = await caller.find("account", params.account);
      return selectionOf(caller, id, {}, query, header("last-event-id"));
    },
  }),

  endpoint({
    route: "GET /requests/:request/events",
    summary: "Read a request's events, as JSON or as a stream of server-sent events",
    query: {
      ...query,
      children: flag.describe("True for the events of its children and of all their children too"),
    },
    reply: events,
    handle: async ({ params, query, caller, header }) => {
      const { id, accountId } = await caller.find("request", params.request);
      const of = { requestId: id, ...(query.children && { descendants: new Set<string>() }) };
      return selectionOf(caller, accountId, of, query, header("last-event-id"));
    },
  }),
];

function selectionOf(
  reader: Caller,
  accountId: string,
  of: Pick<EventSelection, "requestId" | "descendants">,
  { after, newest, wait, limit, type, subject }: Query,
  lastEventId: string | undefined,
): SelectedEvents {
  if (newest && after !== undefined) throw invalid("newest", "must not be given together with `after`");
  const [subjectType, subjectId] = subject?.split("/") ?? [];
  return {
    reader,
    accountId,
    ...of,
    ...(type && { types: type }),
    ...(subjectType && subjectId && { subject: { type: subjectType, id: subjectId } }),
    after: placeOf(lastEventId || after),
    limit,
    isNewest: newest && !lastEventId,
    waitSeconds: wait,
  };
}

function placeOf(after: string | undefined): SelectedEvents["after"] {
  if (after === undefined) return START;
  if (after === "now") return undefined;
  const cursor = cursorOf(after);
  if (!cursor) throw invalid("after", "must be an event's id or `now`");
  return cursor;
}
