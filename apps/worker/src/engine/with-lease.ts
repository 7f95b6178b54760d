import { AsyncLocalStorage } from "node:async_hooks";

/** A lease as far as calls to the cloud need it. */
export interface HeldLease {
  /** Makes a change of the cloud under a lease that outlasts it, or throws the reason why it may not. */
  duringChange<T>(change: () => Promise<T>, isRefusal?: IsRefusal): Promise<T>;
  /** Records an attempt at a call of the cloud. */
  countCall(): void;
}

/** Tells whether the cloud answered an attempt at a change with an error and did not carry it out. */
export type IsRefusal = (error: unknown) => boolean;

/** The lease, as the calls of one create use it. */
export class CreateCalls implements HeldLease {
  private uncertain = 0;

  constructor(private readonly lease: HeldLease) {}

  /** False while no change was sent but those that the cloud refused. */
  get mayHaveCreated(): boolean {
    return this.uncertain > 0;
  }

  duringChange<T>(change: () => Promise<T>, isRefusal?: IsRefusal): Promise<T> {
    return this.lease.duringChange(async () => {
      this.uncertain += 1;
      try {
        return await change();
      } catch (error) {
        if (isRefusal?.(error)) this.uncertain -= 1;
        throw error;
      }
    });
  }

  countCall(): void {
    this.lease.countCall();
  }
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
 * @param isRefusal without it every attempt that fails may have changed something
 * @throws ShuttingDown, LeaseLost or Cancelled if the Request may not
 */
export function duringChange<T>(change: () => Promise<T>, isRefusal?: IsRefusal): Promise<T> {
  const lease = current.getStore();
  return lease ? lease.duringChange(change, isRefusal) : change();
}

/** Records an attempt at a call of the cloud, for the current Request if there is one. */
export function countCall(): void {
  current.getStore()?.countCall();
}
