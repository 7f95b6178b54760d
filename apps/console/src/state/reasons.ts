import { store } from "./store.js";

const KEY = "gantry-reasons";

/** Why a member of the staff acts in accounts of others, by account, in this tab. */
export const reasons = store<ReadonlyMap<string, string>>(
  new Map(JSON.parse(sessionStorage.getItem(KEY) ?? "[]") as [string, string][]),
);

export function stateReason(account: string, reason: string): void {
  const all = new Map(reasons.get()).set(account, reason);
  sessionStorage.setItem(KEY, JSON.stringify([...all]));
  reasons.set(all);
}

export function forgetReasons(): void {
  sessionStorage.removeItem(KEY);
  reasons.set(new Map());
}

/** The reason for acts in the account of the page's address. */
export function reasonHere(): string | undefined {
  return reasons.get().get(location.pathname.split("/")[2] ?? "");
}
