import type { Changes } from "./event-cache.js";
import { store, useStore } from "./store.js";

const NONE: ReadonlySet<string> = new Set();
const arrivals = store<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

export function addArrivals(more: Changes["arrivals"]): void {
  if (more.size === 0) return;
  const all = new Map(arrivals.get());
  for (const [type, ids] of more) all.set(type, new Set([...(all.get(type) ?? NONE), ...ids]));
  arrivals.set(all);
}

export function forgetArrivals(type: string): void {
  const all = new Map(arrivals.get());
  all.delete(type);
  arrivals.set(all);
}

/** How many records of a type came since the list was read, but for those that it shows. */
export function useArrivals(type: string, shown: readonly { id: string | number }[]): number {
  const ids = useStore(arrivals).get(type) ?? NONE;
  return [...ids].filter((id) => !shown.some((record) => String(record.id) === id)).length;
}
