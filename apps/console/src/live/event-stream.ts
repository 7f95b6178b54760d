import type { GantryEvent } from "@gantry/client";
import { cache, gantry, SESSION_KEY } from "../api.js";
import { PARTS_KEY, SUMMARY_KEY } from "../keys.js";
import { setContact } from "../state/contact.js";
import { addArrivals } from "./arrivals.js";
import { changesOf, withChanges } from "./event-cache.js";
import { addEvents } from "./recent-events.js";

/** Every type of event: a browser's stream asks for each by its name. */
const TYPES: Record<GantryEvent["type"], true> = {
  "request.accepted": true,
  "request.started": true,
  "request.stage": true,
  "request.waiting": true,
  "request.message": true,
  "request.rolling_back": true,
  "request.cancelling": true,
  "request.leaked": true,
  "request.finished": true,
  "request.failed": true,
  "request.cancelled": true,
  "resource.created": true,
  "resource.changed": true,
  "resource.deleted": true,
  "resource.restored": true,
  "resource.disappeared": true,
  "drift.found": true,
  "alert.raised": true,
  "alert.finished": true,
  "webhook.disabled": true,
};

const GATHER_MS = 250;
const PARTS_MS = 1000;
const SUMMARY_MS = 5000;
const HIDDEN_MS = 10_000;
const RETRY_MS = 4000;

export const EVENT_TYPES = Object.keys(TYPES) as GantryEvent["type"][];

/** The place of each account's stream before the page's own reads. */
const places = new Map<string, string>();

/** Finds the present place in the stream of an account, so that no event after the first read is missed. */
export async function findPlace(account: string): Promise<void> {
  if (places.has(account)) return;
  const { body } = await gantry.call("GET", `/accounts/${account}/events`, { query: { after: "now" }, maxRetries: 0 });
  places.set(account, (body as { next: string }).next);
}

/** Keeps what was read of an account current, while the tab is visible. Returns what ends it. */
export function follow(account: string): () => void {
  const path = `/accounts/${account}/events`;
  const touched = new Set<string>();
  let gathered: GantryEvent[] = [];
  let source: EventSource | undefined;
  let isOver = false;
  let wasOpen = false;
  const timers = { flush: 0, parts: 0, summary: 0, hide: 0, retry: 0 };
  let summaryReadAt = 0;

  const readParts = () => {
    timers.parts = 0;
    for (const id of touched) void cache.invalidateQueries({ queryKey: [PARTS_KEY, id] });
    touched.clear();
  };

  const readSummary = () => {
    timers.summary = 0;
    summaryReadAt = Date.now();
    void cache.invalidateQueries({ queryKey: [SUMMARY_KEY, account] });
  };

  const flush = () => {
    timers.flush = 0;
    const { records, requests, arrivals } = changesOf(gathered);
    addEvents(account, gathered);
    gathered = [];
    for (const { queryKey } of cache.getQueryCache().getAll())
      cache.setQueryData(queryKey, (answer: unknown) => withChanges(answer, String(queryKey[0]), records));
    addArrivals(arrivals);
    for (const id of requests) touched.add(id);
    timers.parts ||= window.setTimeout(readParts, PARTS_MS);
    timers.summary ||= window.setTimeout(readSummary, Math.max(PARTS_MS, summaryReadAt + SUMMARY_MS - Date.now()));
  };

  const gather = ({ data, lastEventId }: MessageEvent<string>) => {
    places.set(account, lastEventId);
    gathered.push(JSON.parse(data) as GantryEvent);
    timers.flush ||= window.setTimeout(flush, GATHER_MS);
  };

  const open = async () => {
    try {
      await findPlace(account);
    } catch {
      return retry();
    }
    if (isOver || document.hidden) return;
    source = new EventSource(`${path}?after=${encodeURIComponent(places.get(account) ?? "now")}`);
    source.onopen = () => {
      setContact(undefined);
      // Meanwhile Gantry may have been updated, or the session may have ended.
      if (wasOpen) void cache.invalidateQueries({ queryKey: SESSION_KEY });
      wasOpen = true;
    };
    source.onerror = () => {
      setContact(new Date());
      // An open stream connects again by itself. A refused one is over: the events after the cursor may be gone.
      if (source?.readyState !== EventSource.CLOSED) return;
      places.delete(account);
      // Or the session has ended.
      void cache.invalidateQueries({ queryKey: SESSION_KEY });
      retry();
    };
    for (const type of EVENT_TYPES) source.addEventListener(type, gather);
  };

  const retry = () => {
    setContact(new Date());
    if (isOver) return;
    timers.retry = window.setTimeout(() => {
      timers.retry = 0;
      void open().then(() => cache.invalidateQueries());
    }, RETRY_MS);
  };

  const close = () => {
    source?.close();
    source = undefined;
  };

  const showOrHide = () => {
    clearTimeout(timers.hide);
    if (document.hidden) timers.hide = window.setTimeout(close, HIDDEN_MS);
    else if (!source && !timers.retry) void open();
  };

  document.addEventListener("visibilitychange", showOrHide);
  void open();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", showOrHide);
    for (const timer of Object.values(timers)) clearTimeout(timer);
    close();
  };
}
