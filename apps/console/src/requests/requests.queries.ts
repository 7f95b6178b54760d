import type { CloudObject, GantryEvent, LeakedResource, Request, RequestTypeDefinition } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { PARTS_KEY } from "../keys.js";

const PAGE_SIZE = 50;
const LOG_LINES = 500;
const MOST_EVENTS = 1000;
/** How many stages or cloud objects are read at most. */
export const MOST_PARTS = 1000;
/** How the engine begins the message that says why a rollback ended. */
const GIVEN_UP = "The rollback could not go on: ";

export const requestQuery = (id: string) =>
  queryOptions({ queryKey: ["request", id], queryFn: ({ signal }) => gantry.requests.get(id, {}, { signal }) });

export const stagesQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "stages"],
    queryFn: ({ signal }) => gantry.requests.stages(id, { per_page: 100 }, { signal }).toArray({ max: MOST_PARTS }),
  });

export const childrenQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "children"],
    queryFn: ({ signal }) => gantry.requests.dependencies(id, { per_page: PAGE_SIZE }, { signal }).page(),
  });

export const leaksQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "leaks"],
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `/requests/${id}/leaked-resources`, { signal });
      return (body as { leaked_resources: LeakedResource[] }).leaked_resources;
    },
  });

export const objectsQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "objects"],
    queryFn: ({ signal }): Promise<CloudObject[]> =>
      gantry.requests.cloudObjects(id, { per_page: 100 }, { signal }).toArray({ max: MOST_PARTS }),
  });

/** How many children of a Request still run, and those that left something in AWS. */
export const childrenLeaksQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "leaks of children"],
    queryFn: async ({ signal }) => {
      const [leaking, running] = await Promise.all([
        gantry.requests.dependencies(id, { leaked: "true", per_page: 100 }, { signal }).page(),
        gantry.requests.dependencies(id, { active: "true", per_page: 1 }, { signal }).page(),
      ]);
      return { leaking: leaking.items, areAllEnded: running.items.length === 0 };
    },
  });

/** Why the rollback of a Request ended before all was undone; null if it did not. */
export const givenUpQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "given up"],
    queryFn: async ({ signal }) => {
      const { items } = await gantry.requests.messages(id, { per_page: 100 }, { signal }).page();
      return items.find(({ message }) => message.startsWith(GIVEN_UP))?.message ?? null;
    },
  });

/** What each type is called and which stages it has. */
export const requestTypesQuery = queryOptions({
  queryKey: ["request types"],
  queryFn: async ({ signal }) => {
    const { body } = await gantry.call("GET", "/request-types", { signal });
    return new Map((body as { request_types: RequestTypeDefinition[] }).request_types.map((type) => [type.name, type]));
  },
});

export interface LogLine {
  id: string;
  at: string;
  stage: string | null;
  text: string;
}

/** The log of a Request, the oldest first: its events, or its messages if its events are no longer kept. */
export const logQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "log"],
    queryFn: async ({ signal }): Promise<LogLine[]> => {
      const query = { newest: true, limit: MOST_EVENTS };
      const { body } = await gantry.call("GET", `/requests/${id}/events`, { query, signal });
      const { events } = body as { events: GantryEvent[] };
      if (events.length > 0) return events.flatMap(lineOf).slice(-LOG_LINES);
      const messages = await gantry.requests.messages(id, { per_page: 100 }, { signal }).toArray({ max: LOG_LINES });
      const lines = messages.map(({ id, created_at, message, stage }) => ({
        id,
        at: created_at,
        stage,
        text: message,
      }));
      return lines.reverse();
    },
  });

const SENTENCES: Partial<Record<GantryEvent["type"], string>> = {
  "request.accepted": "accepted",
  "request.started": "started by a worker",
  "request.stage": "stage reached",
  "request.waiting": "waits",
  "request.cancelling": "cancelled; what it did is undone",
  "request.rolling_back": "undoes what it did",
  "request.leaked": "could not remove everything in AWS",
  "request.finished": "finished",
  "request.failed": "failed",
  "request.cancelled": "cancelled",
};

function lineOf({ id, type, created_at, message, record }: GantryEvent): LogLine[] {
  const { stage = null, request_status: status } = (record ?? {}) as Partial<Request>;
  const waiting = type === "request.waiting" && /Waiting for .*/.exec(status ?? "")?.[0];
  const line = { id, at: created_at, stage };
  if (type === "request.message") return [{ ...line, text: message ?? "" }];
  const sentence = SENTENCES[type];
  if (!sentence) return [];
  return [{ ...line, text: waiting || (message ? `${sentence}: ${message}` : sentence) }];
}
