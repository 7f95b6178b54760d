import { AsyncLocalStorage } from "node:async_hooks";

/** A lease as far as calls to the cloud need it. */
export interface HeldLease {
  /** Resolves where a call to the cloud may start now, and throws the reason where not. */
  assertHeld(): Promise<void>;
}

const current = new AsyncLocalStorage<HeldLease>();

/** Runs `work` with `lease` as the one that `assertLeaseHeld` checks. */
export function withLease<T>(lease: HeldLease, work: () => Promise<T>): Promise<T> {
  return current.run(lease, work);
}

/**
 * Resolves where the current Request may change something in the cloud now, or where the caller works for no Request. Each
 * attempt at a call checks it.
 *
 * @throws ShuttingDown, LeaseLost or Cancelled where it may not
 */
export async function assertLeaseHeld(): Promise<void> {
  await current.getStore()?.assertHeld();
}
