import { AsyncLocalStorage } from "node:async_hooks";

/** A lease as far as calls to the cloud need it. */
export interface HeldLease {
  /** Makes a change of the cloud under a lease that outlasts it, or throws the reason why it may not. */
  duringChange<T>(change: () => Promise<T>): Promise<T>;
  /** Records an attempt at a call of the cloud. */
  countCall(): void;
}

const current = new AsyncLocalStorage<HeldLease>();

/** Runs `work` with `lease` as the one that `duringChange` needs. */
export function withLease<T>(lease: HeldLease, work: () => Promise<T>): Promise<T> {
  return current.run(lease, work);
}

/**
 * Makes a change of the cloud if the current Request may do so now, or if the caller works for no Request. Each attempt
 * at a call is a separate change.
 *
 * @throws ShuttingDown, LeaseLost or Cancelled if the Request may not
 */
export function duringChange<T>(change: () => Promise<T>): Promise<T> {
  const lease = current.getStore();
  return lease ? lease.duringChange(change) : change();
}

/** Records an attempt at a call of the cloud, for the current Request if there is one. */
export function countCall(): void {
  current.getStore()?.countCall();
}
