import type { CloudObject, GantryEvent, LeakedResource, Request, RequestType } from "@gantry/client";
import { queryOptions } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { PARTS_KEY } from "../keys.js";

const PAGE_SIZE = 50;
const LOG_LINES = 500;

export const requestQuery = (id: string) =>
  queryOptions({ queryKey: ["request", id], queryFn: ({ signal }) => gantry.requests.get(id, {}, { signal }) });

export const stagesQuery = (id: string) =>
  queryOptions({
    queryKey: [PARTS_KEY, id, "stages"],
    queryFn: ({ signal }) => gantry.requests.stages(id, { per_page: 100 }, { signal }).toArray({ max: 100 }),
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
    queryFn: async ({ signal }) => {
      const query = { per_page: 100 };
      const { body } = await gantry.call("GET", `/requests/${id}/cloud-objects`, { query, signal });
      return (body as { cloud_objects: CloudObject[] }).cloud_objects;
    },
  });

/** What each type is called and which stages it has. */
export const requestTypesQuery = queryOptions({
  queryKey: ["request types"],
  queryFn: async ({ signal }) => {
    const { body } = await gantry.call("GET", "/request-types", { signal });
    return new Map((body as { request_types: RequestType[] }).request_types.map((type) => [type.name, type]));
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
      const { body } = await gantry.call("GET", `/requests/${id}/events`, { query: { limit: LOG_LINES }, signal });
      const { events } = body as { events: GantryEvent[] };
      if (events.length > 0) return events.flatMap(lineOf);
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
  "request.cancelling": "cancelled; what it made is removed",
  "request.rolling_back": "removes what it made",
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
