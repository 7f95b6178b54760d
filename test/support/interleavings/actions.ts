import type { Model, ModelType } from "./model.js";
import type { RealSystem } from "./real-system.js";
import * as rules from "./rules.js";

/** One step of an interleaving: the outcome that the model predicts, and the same step on the real system. */
export interface Action {
  /** The lease that the action uses, if it needs one. */
  lease?: string;
  /** The action may make a Request due at once. */
  makesDue?: true;
  /** The outcome of the action if it began just before another one made its Request due. */
  outcomeIfEarly?: string;
  /** Applies the action to the model and returns the expected outcome. */
  predict(m: Model): string;
  run(real: RealSystem): Promise<string>;
}

/** Returns the action in the current state of the model; undefined if it is impossible. */
export type ActionFactory = (m: Model) => Action | undefined;

export const MAX_REQUESTS = 9;
export const PROVIDER = "provider/1";
const RESOURCES = ["network/a", "network/b"];

/** Accepts a Request for one of two networks, or a parent Request. */
export function accept(index: number): ActionFactory {
  const parent = { type: "provision_provider", resource: PROVIDER } as const;
  const children = (["provision_network", "deprovision_network"] as const).flatMap((type: ModelType) =>
    RESOURCES.map((resource) => ({ type, resource })),
  );
  const { type, resource } = [parent, ...children][index] ?? parent;
  return (m) =>
    m.requests.length < MAX_REQUESTS
      ? { predict: (m) => rules.accept(m, type, resource), run: (real) => real.accept(type, resource) }
      : undefined;
}

/** Lets a worker claim one of the Requests. */
export function claim(worker: number, index: number): ActionFactory {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = index % m.requests.length;
    return {
      outcomeIfEarly: rules.NOT_RUNNABLE,
      predict: (m) => rules.claim(m, worker, request),
      run: (real) => real.claim(request),
    };
  };
}

export function cancel(index: number): ActionFactory {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = index % m.requests.length;
    return { makesDue: true, predict: (m) => rules.cancel(m, request), run: (real) => real.cancel(request) };
  };
}

export function stepClock(seconds: number): ActionFactory {
  return () => ({
    predict: (m) => {
      m.clock += seconds;
      return "done";
    },
    run: (real) => real.stepClock(seconds).then(() => "done"),
  });
}

/** Freezes a worker with all its leases, or lets a frozen one continue with the leases that it had. */
export function setFrozen(worker: number, isFrozen: boolean): ActionFactory {
  return (m) => {
    const leases = (m: Model) => Object.values(m.leases).filter((lease) => lease.worker === worker);
    if (!leases(m).some((lease) => lease.isFrozen !== isFrozen)) return undefined;
    const predict = (m: Model) => {
      for (const lease of leases(m)) lease.isFrozen = isFrozen;
      return "done";
    };
    return { predict, run: async () => "done" };
  };
}
