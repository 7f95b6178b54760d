import { isDeepStrictEqual } from "node:util";
import { expect } from "@jest/globals";
import fc from "fast-check";
import {
  type Action,
  type ActionFactory,
  ATOMIC,
  accept,
  action,
  cancel,
  claim,
  freeze,
  LEASE_ACTIONS,
  resume,
  stepClock,
} from "./actions.js";
import { isRunnable, type Model, visible } from "./model.js";
import type { RealSystem } from "./real-system.js";

type Command = fc.AsyncCommand<Model, RealSystem>;

/** One act alone: it must come out as the rules say, and one that is refused must change nothing. */
class SingleCommand implements Command {
  constructor(
    private readonly description: string,
    private readonly createAction: ActionFactory,
  ) {}

  check = (m: Readonly<Model>) => this.createAction(m) !== undefined;

  async run(m: Model, workers: RealSystem): Promise<void> {
    const { applyToModel, applyToSystem } = this.createAction(m) as Action;
    const before = workers.observation;
    const expected = applyToModel(m);
    expect(await applyToSystem(workers)).toBe(expected);
    const seen = await observe(workers);
    expect(seen.view).toEqual(visible(m));
    if (expected.startsWith("refused")) expect(seen).toEqual(before);
  }

  toString = () => this.description;
}

/** Two acts at once: they must come out as if one had come after the other. */
class ConcurrentCommand implements Command {
  constructor(
    private readonly description: string,
    private readonly intents: [ActionFactory, ActionFactory],
  ) {}

  private actsFor(m: Model): Action[] {
    const actions = this.intents.flatMap((createAction) => createAction(m) ?? []);
    const sharesHold = actions[0]?.lease !== undefined && actions[0].lease === actions[1]?.lease;
    return sharesHold ? [] : actions;
  }

  check = (m: Readonly<Model>) => this.actsFor(m).length === 2;

  async run(m: Model, workers: RealSystem): Promise<void> {
    const actions = this.actsFor(m);
    const outcomes = await outcomesOf(actions.map(({ applyToSystem }) => applyToSystem(workers)));
    const { view } = await observe(workers);
    const orders = [actions, actions.map((action, i) => tooEarly(action, actions[1 - i] as Action))].flatMap((these) =>
      [
        [0, 1],
        [1, 0],
      ].map((order) => {
        const after = copy(m);
        const expected: string[] = [];
        for (const i of order) expected[i] = (these[i] as Action).applyToModel(after);
        return { after, expected, view: visible(after) };
      }),
    );
    const fit = orders.find((order) => isDeepStrictEqual(copy([order.expected, order.view]), copy([outcomes, view])));
    if (!fit) expect({ outcomes, view }).toEqual({ outcomes: orders[0]?.expected, view: orders[0]?.view });
    else Object.assign(m, fit.after);
  }

  toString = () => this.description;
}

/** An act that was begun a moment before another made something due, which it did not see then. */
function tooEarly(action: Action, other: Action): Action {
  const { outcomeIfEarly } = action;
  return outcomeIfEarly && other.makesDue ? { ...action, applyToModel: () => outcomeIfEarly } : action;
}

// Not by structuredClone: what that gives under Jest is of another realm, and equal to nothing.
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** What came of each, once both have ended. */
async function outcomesOf(actions: Promise<string>[]): Promise<string[]> {
  await Promise.allSettled(actions);
  return Promise.all(actions);
}

/** A sweep rings every Request that can be run, and no other. */
class SweepCommand implements Command {
  check = (m: Readonly<Model>) => m.requests.length > 0;

  async run(m: Model, workers: RealSystem): Promise<void> {
    expect(await workers.sweep()).toEqual([...m.requests.keys()].filter((i) => isRunnable(m, i)));
  }

  toString = () => "sweep";
}

/** Sees what has come of a command, and what must hold whatever it was. */
async function observe(workers: RealSystem) {
  const { rows: before } = workers.observation;
  const seen = await workers.observe();
  const running = new Set<unknown>();
  for (const [i, row] of seen.rows.entries()) {
    const earlier = before[i] ?? row;
    expect(row.fence).toBeGreaterThanOrEqual(earlier.fence as number);
    expect(row.wake).toBeGreaterThanOrEqual(earlier.wake as number);
    if (earlier.finished_at !== null) expect(row).toEqual(earlier);
    if (row.queue_key === null || row.started_at === null || row.finished_at !== null) continue;
    expect(running).not.toContain(row.queue_key);
    running.add(row.queue_key);
  }
  return seen;
}

const worker = fc.nat({ max: 2 });
const which = fc.nat({ max: 8 });
// Mostly the newest of what a worker holds; sometimes what it holds no longer.
const back = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) });
const way = fc.nat({ max: 6 });

type Said = [says: string, intent: ActionFactory];

const doing = (names: string[]) =>
  fc
    .tuple(worker, back, fc.constantFrom(...names), way)
    .map(([k, b, name, n]): Said => [`worker ${k}: ${name} (${b} back, ${n})`, action(k, b, name, n)]);
const claiming = fc.tuple(worker, which).map(([k, i]): Said => [`worker ${k}: claim ${i}`, claim(k, i)]);
const cancelling = which.map((i): Said => [`cancel ${i}`, cancel(i)]);
const accepting = fc.nat({ max: 6 }).map((i): Said => [`accept ${i}`, accept(i)]);
const stepping = fc.constantFrom(700, 7000, -700, -7000).map((s): Said => [`clock ${s} s`, stepClock(s)]);
const dying = worker.map((k): Said => [`worker ${k}: die`, freeze(k)]);
const returning = worker.map((k): Said => [`worker ${k}: come back`, resume(k)]);

const alone = (said: fc.Arbitrary<Said>) =>
  said.map(([description, createAction]) => new SingleCommand(description, createAction));
const single = fc.oneof(claiming, cancelling, doing(ATOMIC));

const CHILD_ACTIONS = Object.keys(LEASE_ACTIONS).filter((name) => name.includes("children"));

/** Everything that may happen; what stands here more than once happens more often. */
export const interleavings = fc.commands<Model, RealSystem, false>(
  [
    ...Array(3).fill(alone(accepting)),
    ...Array(6).fill(alone(claiming)),
    ...Array(5).fill(alone(doing(Object.keys(LEASE_ACTIONS)))),
    ...Array(4).fill(alone(doing(CHILD_ACTIONS))),
    ...Array(2).fill(alone(stepping)),
    ...Array(2).fill(alone(doing(["finish"]))),
    alone(cancelling),
    alone(dying),
    alone(returning),
    ...Array(3).fill(
      fc.tuple(single, single).map(([[a, x], [b, y]]) => new ConcurrentCommand(`at once: ${a} | ${b}`, [x, y])),
    ),
    fc.constant(new SweepCommand()),
  ] as fc.Arbitrary<Command>[],
  { maxCommands: 60, size: "max" },
);

/** How many interleavings are tried, and the number that they are drawn from. */
export const runParameters = {
  numRuns: Number(process.env.TEST_INTERLEAVINGS ?? 40),
  seed: Number(process.env.TEST_SEED ?? 1),
};
