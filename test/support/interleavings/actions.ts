import { requestTypes } from "@gantry/requests";
import type { Model, ModelHold, ModelType } from "./model.js";
import * as model from "./model.js";
import type { Workers } from "./real-system.js";

/** One thing that happens: what comes of it by the rules, and the doing of it. */
export interface Act {
  /** The hold that it is done with; absent where it needs none. */
  hold?: string;
  /** Makes something due at once. */
  wakes?: true;
  /** How it comes out where it was begun a moment too early; the bell that wakes is rung afterwards. */
  tooEarly?: string;
  rule(m: Model): string;
  perform(workers: Workers): Promise<string>;
}

/** Makes an act of what there is; undefined where it cannot be done now. */
export type Intent = (m: Model) => Act | undefined;

const MOST_REQUESTS = 9;
const RESOURCES = ["network/a", "network/b"];
const PROVIDER = "provider/1";

/** What a parent may open: two children in the networks' queues, and one on its own resource, which queues nowhere. */
const CHILDREN: { type: ModelType; resource: string }[] = [
  { type: "provision_network", resource: "network/a" },
  { type: "deprovision_network", resource: "network/b" },
  { type: "discover_provider_locations", resource: PROVIDER },
];

/** Accepts work on one of two networks, or a parent. */
export function accept(which: number): Intent {
  const parent = { type: "provision_provider", resource: PROVIDER } as const;
  const children = (["provision_network", "deprovision_network"] as const).flatMap((type) =>
    RESOURCES.map((resource) => ({ type, resource })),
  );
  const { type, resource } = [parent, ...children][which] ?? parent;
  return (m) =>
    m.requests.length < MOST_REQUESTS
      ? { rule: (m) => model.accept(m, type, resource), perform: (workers) => workers.accept(type, resource) }
      : undefined;
}

/** The worker answers the bell of one of the Requests. */
export function claim(worker: number, which: number): Intent {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = which % m.requests.length;
    return {
      tooEarly: model.NOT_RUNNABLE,
      rule: (m) => model.claim(m, worker, request),
      perform: (workers) => workers.claim(request),
    };
  };
}

export function cancel(which: number): Intent {
  return (m) => {
    if (m.requests.length === 0) return undefined;
    const request = which % m.requests.length;
    return { wakes: true, rule: (m) => model.cancel(m, request), perform: (workers) => workers.cancel(request) };
  };
}

export function stepClock(seconds: number): Intent {
  return () => ({
    rule: (m) => {
      m.clock += seconds;
      return "done";
    },
    perform: (workers) => workers.stepClock(seconds).then(() => "done"),
  });
}

/** The worker does nothing any more, and nobody is told. */
export function die(worker: number): Intent {
  return fate(worker, true);
}

/** A worker that was given up for dead goes on with all that it believes to hold. */
export function comeBack(worker: number): Intent {
  return fate(worker, false);
}

function fate(worker: number, isDead: boolean): Intent {
  return (m) => {
    const holds = (m: Model) => Object.values(m.holds).filter((hold) => hold.worker === worker);
    if (!holds(m).some((hold) => hold.isDead !== isDead)) return undefined;
    const rule = (m: Model) => {
      for (const hold of holds(m)) hold.isDead = isDead;
      return "done";
    };
    return { rule, perform: async () => "done" };
  };
}

/** What a worker does with one of its holds: the newest where `back` is 0. */
type WithHold = (hold: ModelHold, name: string, m: Model) => Omit<Act, "hold"> | undefined;

function withHold(worker: number, back: number, make: WithHold): Intent {
  return (m) => {
    const mine = Object.entries(m.holds).filter(([, hold]) => hold.worker === worker && !hold.isDead);
    const [name, hold] = mine.reverse()[back % Math.max(1, mine.length)] ?? [];
    const act = name !== undefined && hold ? make(hold, name, m) : undefined;
    return act && { hold: name as string, ...act };
  };
}

/** The hold of that name in a model, which may be a copy of the one that the act was made of. */
const at = (m: Model, name: string) => m.holds[name] as ModelHold;

const typeOf = (m: Model, { request }: ModelHold) => m.requests[request]?.type as ModelType;

const openedBy = (m: Model, { request }: ModelHold) =>
  CHILDREN.filter(({ type, resource }) =>
    m.requests.some((r) => r.parent === request && r.type === type && r.resource === resource),
  );

/** Everything that a worker may do with a hold, by name. `n` chooses among the ways to do it. */
export const DOINGS: Record<string, (n: number) => WithHold> = {
  renew: () => (_, name) => ({ rule: (m) => model.renew(m, at(m, name)), perform: (w) => w.renew(name) }),

  enter: (n) => (hold, name, m) => {
    const { stages } = requestTypes[typeOf(m, hold)];
    const stage = stages[n % stages.length] as string;
    return { rule: (m) => model.enter(m, at(m, name), stage), perform: (w) => w.enter(name, stage) };
  },

  write: (n) => (_, name) => {
    const value = `by ${name}, ${n}`;
    return {
      rule: (m) => model.write(m, at(m, name), value),
      perform: (w) => w.write(name, value, n % 2 === 0),
    };
  },

  intend: () => (hold, name, m) => {
    const resource = m.requests[hold.request]?.resource as string;
    return { rule: (m) => model.intend(m, at(m, name)), perform: (w) => w.intend(name, resource) };
  },

  save: (n) => (hold, name) => {
    const id = `by ${name}, ${n}`;
    return hold.hasIntent
      ? { rule: (m) => model.save(m, at(m, name), id), perform: (w) => w.save(name, id) }
      : undefined;
  },

  sleep: (n) => (_, name) => {
    const seconds = [0, 420, 5000][n % 3] as number;
    return {
      wakes: true,
      rule: (m) => model.sleep(m, at(m, name), seconds),
      perform: (w) => w.sleep(name, seconds, 0),
    };
  },

  finish: (n) => (_, name) => {
    const successful = n % 3 !== 0;
    return {
      wakes: true,
      rule: (m) => model.finish(m, at(m, name), successful),
      perform: (w) => w.finish(name, successful),
    };
  },

  "start its rollback": () => (_, name) => ({
    rule: (m) => model.startRollback(m, at(m, name)),
    perform: (w) => w.startRollback(name),
  }),

  "open children": (n) => (hold, name, m) => {
    if (typeOf(m, hold) !== "provision_provider" || m.requests.length + CHILDREN.length > MOST_REQUESTS)
      return undefined;
    const children = CHILDREN.filter((_, i) => (n + 1) & (1 << i));
    return {
      rule: (m) => model.openChildren(m, at(m, name), children),
      perform: (w) => w.openChildren(name, children),
    };
  },

  "look after its children": () => (hold, name, m) => {
    const opened = openedBy(m, hold);
    return opened.length > 0
      ? { rule: (m) => model.look(m, at(m, name)), perform: (w) => w.look(name, opened) }
      : undefined;
  },

  "sleep until its children have ended":
    () =>
    ({ left }, name) =>
      left > 0
        ? { wakes: true, rule: (m) => model.sleep(m, at(m, name), 60, left), perform: (w) => w.sleep(name, 60, left) }
        : undefined,

  "end its children": () => (hold, name, m) =>
    openedBy(m, hold).length > 0
      ? { rule: (m) => model.endChildren(m, at(m, name)), perform: (w) => w.endChildren(name) }
      : undefined,
};

/** A worker does something with one of its holds. */
export function act(worker: number, back: number, doing: string, n: number): Intent {
  return withHold(worker, back, DOINGS[doing]?.(n) as WithHold);
}

/** What is one statement, so that two of them at once must come out as one after the other. */
export const ATOMIC = ["renew", "enter", "write", "save", "sleep", "finish", "sleep until its children have ended"];
