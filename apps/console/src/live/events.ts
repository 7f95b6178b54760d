import type { GantryEvent } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { useEventsRound, useRecentEvents } from "./recent-events.js";

const READ = 200;

export interface EventFilter {
  type?: string | undefined;
  subject?: string | undefined;
}

/** The newest events of an account, the newest first: those that it had when the page was opened, and all since. */
export function useEvents(account: string, { type, subject }: EventFilter) {
  const recent = useRecentEvents(account).filter(
    (event) =>
      (!type || event.type === type) && (!subject || `${event.subject.type}/${event.subject.id}`.startsWith(subject)),
  );
  // An incomplete subject is no subject for the API.
  const isRead = !subject || /^\w+\/[\w-]+$/.test(subject);
  const filter = JSON.stringify([account, type, subject]);
  const { data, error } = useQuery<readonly GantryEvent[]>({
    queryKey: ["events", filter, useEventsRound(account)],
    enabled: isRead,
    // The events of the last round stay visible until the next ones are read.
    placeholderData: (shown, query) => (query?.queryKey[1] === filter ? shown : undefined),
    queryFn: async ({ signal }) => {
      const query = { newest: true, limit: READ, ...(type && { type }), ...(subject && { subject }) };
      const { body } = await gantry.call("GET", `/accounts/${account}/events`, { query, signal });
      return (body as { events: GantryEvent[] }).events.toReversed();
    },
  });
  const ids = new Set(recent.map(({ id }) => id));
  const events = [...recent, ...(data ?? []).filter(({ id }) => !ids.has(id))];
  return { events, isPending: isRead && !data && !error, error };
}
