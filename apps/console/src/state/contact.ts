import { store, useStore } from "./store.js";

/** Since when the API has not been reached; undefined while it is. */
const lostSince = store<Date | undefined>(undefined);

export function setContact(lost: Date | undefined): void {
  lostSince.set(lost && (lostSince.get() ?? lost));
}

export function useLostContact(): Date | undefined {
  return useStore(lostSince);
}
