import { useSyncExternalStore } from "react";

/** A value that is shared by the whole page. */
export interface Store<T> {
  get: () => T;
  set: (value: T) => void;
  subscribe: (watch: () => void) => () => void;
}

export function store<T>(value: T): Store<T> {
  let current = value;
  const watchers = new Set<() => void>();
  return {
    get: () => current,
    set: (next) => {
      if (Object.is(current, next)) return;
      current = next;
      for (const watch of watchers) watch();
    },
    subscribe: (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
  };
}

export function useStore<T>({ subscribe, get }: Store<T>): T {
  return useSyncExternalStore(subscribe, get);
}
