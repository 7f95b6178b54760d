import { useEffect } from "react";
import { cache } from "../api.js";
import { store, useStore } from "../state/store.js";
import type { Changes } from "./event-cache.js";

type Arrivals = ReadonlyMap<string, ReadonlyMap<string, object>>;

const NONE: ReadonlyMap<string, object> = new Map();
const arrivals = store<Arrivals>(new Map());

export function addArrivals(more: Changes["arrivals"]): void {
  if (more.size === 0) return;
  const all = new Map(arrivals.get());
  for (const [type, records] of more) all.set(type, new Map([...(all.get(type) ?? NONE), ...records]));
  arrivals.set(all);
}

/** Reads the lists of a type again, with the records that came since. */
export function showArrivals(type: string): void {
  const all = new Map(arrivals.get());
  all.delete(type);
  arrivals.set(all);
  void cache.invalidateQueries({ queryKey: [type, "list"] });
}

/** Reads the lists of a type again if records came while no page showed them: no row moves under a reader. */
export function useArrivalsOfBefore(type: string): void {
  useEffect(() => {
    if (arrivals.get().has(type)) showArrivals(type);
  }, [type]);
}

/** How many records of a type came since the list was read, but for those that it shows or that do not belong to it. */
export function useArrivals(
  type: string,
  shown: readonly { id: string | number }[],
  belongs: (record: object) => boolean = () => true,
): number {
  const records = useStore(arrivals).get(type) ?? NONE;
  return [...records].filter(([id, record]) => belongs(record) && !shown.some((each) => String(each.id) === id)).length;
}
