import type { GantryEvent } from "@gantry/client";
import { useEffect } from "react";
import { cache } from "../api.js";
import { store, useStore } from "../state/store.js";

const KEPT = 500;

interface Recent {
  account: string;
  /** The newest first. */
  events: readonly GantryEvent[];
  /** The number of those that were kept and no longer are. */
  dropped: number;
}

const NOTHING: Recent = { account: "", events: [], dropped: 0 };
const recent = store<Recent>(NOTHING);

/** Keeps the last events of the account that the page shows. */
export function addEvents(account: string, events: readonly GantryEvent[]): void {
  const before = recent.get().account === account ? recent.get() : NOTHING;
  const all = [...events.toReversed(), ...before.events];
  recent.set({ account, events: all.slice(0, KEPT), dropped: before.dropped + Math.max(0, all.length - KEPT) });
}

/** The events of an account since the page was opened, the newest first. */
export function useRecentEvents(account: string): readonly GantryEvent[] {
  const { account: shown, events } = useStore(recent);
  return shown === account ? events : NONE;
}

const NONE: readonly GantryEvent[] = [];

/**
 * The round of reads that a list of events is in. What was read and what was kept since then have no gap between them,
 * because a new round begins before the first event of the last one is dropped.
 */
export function useEventsRound(account: string): number {
  const { account: shown, dropped } = useStore(recent);
  return shown === account ? Math.floor(dropped / (KEPT / 2)) : 0;
}

/** The last event for which answers were read again, by their key: also those count that came while no page was shown. */
const seen = new Map<string, string>();

/** Reads answers again after an event that may change them without showing how. */
export function useReadAgain(account: string, key: string, isReason: (event: GantryEvent) => boolean): void {
  const newest = useRecentEvents(account).find(isReason)?.id;
  useEffect(() => {
    if (newest === undefined || seen.get(key) === newest) return;
    seen.set(key, newest);
    void cache.invalidateQueries({ queryKey: [key] });
  }, [key, newest]);
}
