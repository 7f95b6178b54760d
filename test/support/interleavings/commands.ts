import { isDeepStrictEqual } from "node:util";
import type fc from "fast-check";
import type { Action, ActionFactory } from "./actions.js";
import type { Model } from "./model.js";
import type { RealSystem } from "./real-system.js";
import { isRunnable, visible } from "./rules.js";

export type Command = fc.AsyncCommand<Model, RealSystem>;

/** Runs one action: its outcome must be the predicted one, and a refused action must change nothing. */
export class SingleCommand implements Command {
  constructor(
    private readonly description: string,
    private readonly createAction: ActionFactory,
  ) {}

  check = (m: Readonly<Model>) => this.createAction(m) !== undefined;

  async run(m: Model, real: RealSystem): Promise<void> {
    const { predict, run } = this.createAction(m) as Action;
    const before = real.observation;
    const expected = predict(m);
    expect(await run(real)).toBe(expected);
    const after = await observe(real);
    expect(after.view).toEqual(visible(m));
    if (expected.startsWith("refused")) expect(after).toEqual(before);
  }

  toString = () => this.description;
}

/** Runs two actions concurrently: the result must be that of one after the other, in either order. */
export class ConcurrentCommand implements Command {
  constructor(
    private readonly description: string,
    private readonly factories: [ActionFactory, ActionFactory],
  ) {}

  private actionsFor(m: Model): Action[] {
    const actions = this.factories.flatMap((create) => create(m) ?? []);
    const sharesLease = actions[0]?.lease !== undefined && actions[0].lease === actions[1]?.lease;
    return sharesLease ? [] : actions;
  }

  check = (m: Readonly<Model>) => this.actionsFor(m).length === 2;

  async run(m: Model, real: RealSystem): Promise<void> {
    const actions = this.actionsFor(m);
    const outcomes = await outcomesOf(actions.map(({ run }) => run(real)));
    const { view } = await observe(real);
    const orders = [actions, actions.map((action, i) => early(action, actions[1 - i] as Action))].flatMap((pair) =>
      [
        [0, 1],
        [1, 0],
      ].map((order) => {
        const after = structuredClone(m);
        const expected: string[] = [];
        for (const i of order) expected[i] = (pair[i] as Action).predict(after);
        return { after, expected, view: visible(after) };
      }),
    );
    const match = orders.find((order) => isDeepStrictEqual([order.expected, order.view], [outcomes, view]));
    if (!match) expect({ outcomes, view }).toEqual({ outcomes: orders[0]?.expected, view: orders[0]?.view });
    else Object.assign(m, match.after);
  }

  toString = () => this.description;
}

/** The outcome of the action if it began just before the other one made its Request due. */
function early(action: Action, other: Action): Action {
  const { outcomeIfEarly } = action;
  return outcomeIfEarly && other.makesDue ? { ...action, predict: () => outcomeIfEarly } : action;
}

/** The outcomes, once all actions have ended. */
async function outcomesOf(actions: Promise<string>[]): Promise<string[]> {
  await Promise.allSettled(actions);
  return Promise.all(actions);
}

/** Runs the sweep: it must notify every runnable Request and no other. */
export class SweepCommand implements Command {
  check = (m: Readonly<Model>) => m.requests.length > 0;

  async run(m: Model, real: RealSystem): Promise<void> {
    expect(await real.sweep()).toEqual([...m.requests.keys()].filter((i) => isRunnable(m, i)));
  }

  toString = () => "sweep";
}

/** Reads the database after a command and checks the invariants that hold after any command. */
async function observe(real: RealSystem) {
  const { rows: before } = real.observation;
  const observation = await real.observe();
  const running = new Set<unknown>();
  for (const [i, row] of observation.rows.entries()) {
    const earlier = before[i] ?? row;
    expect(row.fence).toBeGreaterThanOrEqual(earlier.fence as number);
    expect(row.wake).toBeGreaterThanOrEqual(earlier.wake as number);
    if (earlier.finished_at !== null) expect(row).toEqual(earlier);
    if (row.queue_key === null || row.started_at === null || row.finished_at !== null) continue;
    expect(running).not.toContain(row.queue_key);
    running.add(row.queue_key);
  }
  return observation;
}
