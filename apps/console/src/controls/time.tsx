import { useSyncExternalStore } from "react";
import { serverNow } from "../state/clock.js";
import { agoText, durationText } from "./duration.js";

let now = serverNow();
const watchers = new Set<() => void>();
setInterval(() => {
  if (document.hidden) return;
  now = serverNow();
  for (const watch of watchers) watch();
}, 1000);

function subscribe(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}

/** The time of the page's clock, which ticks once a second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Ago({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${date.toLocaleString()} (${date.toISOString()})`}>
      {agoText(useNow() - date.getTime())}
    </time>
  );
}

/** The day of a time that may be months ahead. */
export function Day({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toISOString()}>
      {date.toLocaleDateString("en", { dateStyle: "medium" })}
    </time>
  );
}

/** How long something took, or has taken until now. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const clock = useNow();
  const end = to ? new Date(to).getTime() : Math.max(clock, serverNow());
  return <span>{durationText(end - new Date(from).getTime())}</span>;
}

export function Clock({ at }: { at: string }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toISOString()}>
      {date.toLocaleTimeString([], { hour12: false })}
    </time>
  );
}
