import { requestTypes } from "@gantry/resources";
import { type Action, type ActionFactory, MAX_REQUESTS, PROVIDER } from "./actions.js";
import type { Model, ModelLease, ModelType } from "./model.js";
import * as rules from "./rules.js";

type LeaseAction = (lease: ModelLease, name: string, m: Model) => Omit<Action, "lease"> | undefined;

/**
 * The children that a parent may create: two in the queues of the networks, one on the parent's resource without a
 * queue.
 */
const CHILDREN: { type: ModelType; resource: string }[] = [
  { type: "provision_network", resource: "network/a" },
  { type: "deprovision_network", resource: "network/b" },
  { type: "discover_provider_locations", resource: PROVIDER },
];

/** Looks a lease up by name: `predict` may get a copy of the model that the action was created for. */
const leaseIn = (m: Model, name: string) => m.leases[name] as ModelLease;

const typeOf = (m: Model, { request }: ModelLease) => m.requests[request]?.type as ModelType;

const openedBy = (m: Model, { request }: ModelLease) =>
  CHILDREN.filter(({ type, resource }) =>
    m.requests.some((r) => r.parent === request && r.type === type && r.resource === resource),
  );

/** The actions of a worker on one of its leases, by name. `n` chooses among the variants of an action. */
export const LEASE_ACTIONS: Record<string, (n: number) => LeaseAction> = {
  renew: () => (_, name) => ({ predict: (m) => rules.renew(m, leaseIn(m, name)), run: (real) => real.renew(name) }),

  enter: (n) => (lease, name, m) => {
    const { stages } = requestTypes[typeOf(m, lease)];
    const stage = stages[n % stages.length] as string;
    return { predict: (m) => rules.enter(m, leaseIn(m, name), stage), run: (real) => real.enter(name, stage) };
  },

  write: (n) => (_, name) => {
    const value = `by ${name}, ${n}`;
    return {
      predict: (m) => rules.write(m, leaseIn(m, name), value),
      run: (real) => real.write(name, value, n % 2 === 0),
    };
  },

  intend: () => (lease, name, m) => {
    const resource = m.requests[lease.request]?.resource as string;
    return { predict: (m) => rules.intend(m, leaseIn(m, name)), run: (real) => real.intend(name, resource) };
  },

  save: (n) => (lease, name) => {
    const id = `by ${name}, ${n}`;
    return lease.hasIntent
      ? { predict: (m) => rules.save(m, leaseIn(m, name), id), run: (real) => real.save(name, id) }
      : undefined;
  },

  sleep: (n) => (_, name) => {
    const seconds = [0, 420, 5000][n % 3] as number;
    return {
      makesDue: true,
      predict: (m) => rules.sleep(m, leaseIn(m, name), seconds),
      run: (real) => real.sleep(name, seconds, 0),
    };
  },

  finish: (n) => (_, name) => {
    const successful = n % 3 !== 0;
    return {
      makesDue: true,
      predict: (m) => rules.finish(m, leaseIn(m, name), successful),
      run: (real) => real.finish(name, successful),
    };
  },

  "start the rollback": () => (_, name) => ({
    predict: (m) => rules.startRollback(m, leaseIn(m, name)),
    run: (real) => real.startRollback(name),
  }),

  "create children": (n) => (lease, name, m) => {
    if (typeOf(m, lease) !== "provision_provider" || m.requests.length + CHILDREN.length > MAX_REQUESTS)
      return undefined;
    const children = CHILDREN.filter((_, i) => (n + 1) & (1 << i));
    return {
      predict: (m) => rules.createChildren(m, leaseIn(m, name), children),
      run: (real) => real.createChildren(name, children),
    };
  },

  "check the children": () => (lease, name, m) => {
    const opened = openedBy(m, lease);
    return opened.length > 0
      ? { predict: (m) => rules.checkChildren(m, leaseIn(m, name)), run: (real) => real.checkChildren(name, opened) }
      : undefined;
  },

  "sleep until the children have ended":
    () =>
    ({ unfinishedChildren: left }, name) =>
      left > 0
        ? {
            makesDue: true,
            predict: (m) => rules.sleep(m, leaseIn(m, name), 60, left),
            run: (real) => real.sleep(name, 60, left),
          }
        : undefined,

  "cancel the children": () => (lease, name, m) =>
    openedBy(m, lease).length > 0
      ? { predict: (m) => rules.cancelChildren(m, leaseIn(m, name)), run: (real) => real.cancelChildren(name) }
      : undefined,
};

/** Runs an action on a lease of a worker: on the newest if `back` is 0, on an older one otherwise. */
export function leaseAction(worker: number, back: number, actionName: string, n: number): ActionFactory {
  const create = LEASE_ACTIONS[actionName]?.(n) as LeaseAction;
  return (m) => {
    const leases = Object.entries(m.leases).filter(([, lease]) => lease.worker === worker && !lease.isFrozen);
    const [name, lease] = leases.reverse()[back % Math.max(1, leases.length)] ?? [];
    const action = name !== undefined && lease ? create(lease, name, m) : undefined;
    return action && { lease: name as string, ...action };
  };
}

/** The actions that are one statement: two at once must have the result of one after the other. */
export const ATOMIC = ["renew", "enter", "write", "save", "sleep", "finish", "sleep until the children have ended"];
