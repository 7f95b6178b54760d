import { AsyncLocalStorage } from "node:async_hooks";
import type { Lease } from "./lease.js";

const current = new AsyncLocalStorage<Pick<Lease, "assertHeld">>();

/** Does something on behalf of the Request that the lease is for. */
export function withLease<T>(lease: Pick<Lease, "assertHeld">, act: () => Promise<T>): Promise<T> {
  return current.run(lease, act);
}

/**
 * Passes where the Request on whose behalf this is done may change something in the cloud now, which each attempt at a
 * call asks; always where it is done for none.
 *
 * @throws Replaced, Stopping or Cancelled where it may not
 */
export async function assertLeaseHeld(): Promise<void> {
  await current.getStore()?.assertHeld();
}
