import { requestTypes } from "@gantry/requests";
import type { Model, ModelLease, ModelType } from "./model.js";
import * as model from "./model.js";
import type { RealSystem } from "./real-system.js";

/** One thing that happens: what comes of it by the rules, and the doing of it. */
export interface Action {
  /** The hold that it is done with; absent where it needs none. */
  lease?: string;
  /** Makes something due at once. */
  makesDue?: true;
  /** How it comes out where it was begun a moment too early; the bell that wakes is rung afterwards. */
  outcomeIfEarly?: string;
  applyToModel(m: Model): string;
  applyToSystem(workers: RealSystem): Promise<string>;
}

/** Makes an act of what there is; undefined where it cannot be done now. */
export type ActionFactory = (m: Model) => Action | undefined;

const MAX_REQUESTS = 9;
const RESOURCES = ["network/a", "network/b"];
const PROVIDER = "provider/1";

/** What a parent may open: two children in the networks' queues, and one on its own resource, which queues nowhere. */
const CHILDREN: { type: ModelType; resource: string }[] = [
  { type: "provision_network", resource: "network/a" },
  { type: "deprovision_network", resource: "network/b" },
  { type: "discover_provider_locations", resource: PROVIDER },
];

/** Accepts work on one of two networks, or a parent. */
export function accept(which: number): ActionFactory {
  const parent = { type: "provision_provider", resource: PROVIDER } as const;
  const children = (["provision_network", "deprovision_network"] as const).flatMap((type) =>
    RESOURCES.map((resource) => ({ type, resource })),
  );
  const { type, resource } = [parent, ...children][which] ?? parent;
  return (m) =>
    m.requests.length < MAX_REQUESTS
      ? {
          applyToModel: (m) => model.accept(m, type, resource),
          applyToSystem: (workers) => workers.accept(type, resource),
        }
      : undefined;
}

/** The worker answers the bell of one of the Requests. */
export function claim(worker: number, which: number): ActionFactory {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = which % m.requests.length;
    return {
      outcomeIfEarly: model.NOT_RUNNABLE,
      applyToModel: (m) => model.claim(m, worker, request),
      applyToSystem: (workers) => workers.claim(request),
    };
  };
}

export function cancel(which: number): ActionFactory {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = which % m.requests.length;
    return {
      makesDue: true,
      applyToModel: (m) => model.cancel(m, request),
      applyToSystem: (workers) => workers.cancel(request),
    };
  };
}

export function stepClock(seconds: number): ActionFactory {
  return () => ({
    applyToModel: (m) => {
      m.clock += seconds;
      return "done";
    },
    applyToSystem: (workers) => workers.stepClock(seconds).then(() => "done"),
  });
}

/** The worker does nothing any more, and nobody is told. */
export function freeze(worker: number): ActionFactory {
  return setFrozen(worker, true);
}

/** A worker that was given up for dead goes on with all that it believes to hold. */
export function resume(worker: number): ActionFactory {
  return setFrozen(worker, false);
}

function setFrozen(worker: number, isDead: boolean): ActionFactory {
  return (m) => {
    const holds = (m: Model) => Object.values(m.leases).filter((lease) => lease.worker === worker);
    if (!holds(m).some((lease) => lease.isFrozen !== isDead)) return undefined;
    const applyToModel = (m: Model) => {
      for (const lease of holds(m)) lease.isFrozen = isDead;
      return "done";
    };
    return { applyToModel, applyToSystem: async () => "done" };
  };
}

/** What a worker does with one of its holds: the newest where `back` is 0. */
type LeaseAction = (lease: ModelLease, name: string, m: Model) => Omit<Action, "hold"> | undefined;

function withLeaseOf(worker: number, back: number, make: LeaseAction): ActionFactory {
  return (m) => {
    const mine = Object.entries(m.leases).filter(([, lease]) => lease.worker === worker && !lease.isFrozen);
    const [name, lease] = mine.reverse()[back % Math.max(1, mine.length)] ?? [];
    const leaseAction = name !== undefined && lease ? make(lease, name, m) : undefined;
    return leaseAction && { lease: name as string, ...leaseAction };
  };
}

/** The hold of that name in a model, which may be a copy of the one that the act was made of. */
const at = (m: Model, name: string) => m.leases[name] as ModelLease;

const typeOf = (m: Model, { request }: ModelLease) => m.requests[request]?.type as ModelType;

const openedBy = (m: Model, { request }: ModelLease) =>
  CHILDREN.filter(({ type, resource }) =>
    m.requests.some((r) => r.parent === request && r.type === type && r.resource === resource),
  );

/** Everything that a worker may do with a hold, by name. `n` chooses among the ways to do it. */
export const LEASE_ACTIONS: Record<string, (n: number) => LeaseAction> = {
  renew: () => (_, name) => ({ applyToModel: (m) => model.renew(m, at(m, name)), applyToSystem: (w) => w.renew(name) }),

  enter: (n) => (lease, name, m) => {
    const { stages } = requestTypes[typeOf(m, lease)];
    const stage = stages[n % stages.length] as string;
    return { applyToModel: (m) => model.enter(m, at(m, name), stage), applyToSystem: (w) => w.enter(name, stage) };
  },

  write: (n) => (_, name) => {
    const value = `by ${name}, ${n}`;
    return {
      applyToModel: (m) => model.write(m, at(m, name), value),
      applyToSystem: (w) => w.write(name, value, n % 2 === 0),
    };
  },

  intend: () => (lease, name, m) => {
    const resource = m.requests[lease.request]?.resource as string;
    return { applyToModel: (m) => model.intend(m, at(m, name)), applyToSystem: (w) => w.intend(name, resource) };
  },

  save: (n) => (lease, name) => {
    const id = `by ${name}, ${n}`;
    return lease.hasIntent
      ? { applyToModel: (m) => model.save(m, at(m, name), id), applyToSystem: (w) => w.save(name, id) }
      : undefined;
  },

  sleep: (n) => (_, name) => {
    const seconds = [0, 420, 5000][n % 3] as number;
    return {
      makesDue: true,
      applyToModel: (m) => model.sleep(m, at(m, name), seconds),
      applyToSystem: (w) => w.sleep(name, seconds, 0),
    };
  },

  finish: (n) => (_, name) => {
    const successful = n % 3 !== 0;
    return {
      makesDue: true,
      applyToModel: (m) => model.finish(m, at(m, name), successful),
      applyToSystem: (w) => w.finish(name, successful),
    };
  },

  "start its rollback": () => (_, name) => ({
    applyToModel: (m) => model.startRollback(m, at(m, name)),
    applyToSystem: (w) => w.startRollback(name),
  }),

  "open children": (n) => (lease, name, m) => {
    if (typeOf(m, lease) !== "provision_provider" || m.requests.length + CHILDREN.length > MAX_REQUESTS)
      return undefined;
    const children = CHILDREN.filter((_, i) => (n + 1) & (1 << i));
    return {
      applyToModel: (m) => model.openChildren(m, at(m, name), children),
      applyToSystem: (w) => w.openChildren(name, children),
    };
  },

  "look after its children": () => (lease, name, m) => {
    const opened = openedBy(m, lease);
    return opened.length > 0
      ? {
          applyToModel: (m) => model.checkChildren(m, at(m, name)),
          applyToSystem: (w) => w.checkChildren(name, opened),
        }
      : undefined;
  },

  "sleep until its children have ended":
    () =>
    ({ unfinishedChildren }, name) =>
      unfinishedChildren > 0
        ? {
            makesDue: true,
            applyToModel: (m) => model.sleep(m, at(m, name), 60, unfinishedChildren),
            applyToSystem: (w) => w.sleep(name, 60, unfinishedChildren),
          }
        : undefined,

  "end its children": () => (lease, name, m) =>
    openedBy(m, lease).length > 0
      ? { applyToModel: (m) => model.cancelChildren(m, at(m, name)), applyToSystem: (w) => w.cancelChildren(name) }
      : undefined,
};

/** A worker does something with one of its holds. */
export function action(worker: number, back: number, doing: string, n: number): ActionFactory {
  return withLeaseOf(worker, back, LEASE_ACTIONS[doing]?.(n) as LeaseAction);
}

/** What is one statement, so that two of them at once must come out as one after the other. */
export const ATOMIC = ["renew", "enter", "write", "save", "sleep", "finish", "sleep until its children have ended"];
