import { AsyncLocalStorage } from "node:async_hooks";
import type { Lease } from "./lease.js";

const current = new AsyncLocalStorage<Pick<Lease, "pass">>();

/** Does something on behalf of the Request that the lease is for. */
export function underLease<T>(lease: Pick<Lease, "pass">, act: () => Promise<T>): Promise<T> {
  return current.run(lease, act);
}

/**
 * Passes where the Request on whose behalf this is done may change something in the cloud now, which each attempt at a
 * call asks; always where it is done for none.
 *
 * @throws Replaced, Stopping or Cancelled where it may not
 */
export async function passLease(): Promise<void> {
  await current.getStore()?.pass();
}
