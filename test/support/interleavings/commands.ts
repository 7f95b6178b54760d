import { isDeepStrictEqual } from "node:util";
import { expect } from "@jest/globals";
import fc from "fast-check";
import {
  type Act,
  ATOMIC,
  accept,
  act,
  cancel,
  claim,
  comeBack,
  DOINGS,
  die,
  type Intent,
  stepClock,
} from "./actions.js";
import { isRunnable, type Model, visible } from "./model.js";
import type { Workers } from "./real-system.js";

type Command = fc.AsyncCommand<Model, Workers>;

/** One act alone: it must come out as the rules say, and one that is refused must change nothing. */
class Alone implements Command {
  constructor(
    private readonly says: string,
    private readonly intent: Intent,
  ) {}

  check = (m: Readonly<Model>) => this.intent(m) !== undefined;

  async run(m: Model, workers: Workers): Promise<void> {
    const { rule, perform } = this.intent(m) as Act;
    const before = workers.seen;
    const expected = rule(m);
    expect(await perform(workers)).toBe(expected);
    const seen = await observe(workers);
    expect(seen.view).toEqual(visible(m));
    if (expected.startsWith("refused")) expect(seen).toEqual(before);
  }

  toString = () => this.says;
}

/** Two acts at once: they must come out as if one had come after the other. */
class AtOnce implements Command {
  constructor(
    private readonly says: string,
    private readonly intents: [Intent, Intent],
  ) {}

  private actsFor(m: Model): Act[] {
    const acts = this.intents.flatMap((intent) => intent(m) ?? []);
    const sharesHold = acts[0]?.hold !== undefined && acts[0].hold === acts[1]?.hold;
    return sharesHold ? [] : acts;
  }

  check = (m: Readonly<Model>) => this.actsFor(m).length === 2;

  async run(m: Model, workers: Workers): Promise<void> {
    const acts = this.actsFor(m);
    const outcomes = await outcomesOf(acts.map(({ perform }) => perform(workers)));
    const { view } = await observe(workers);
    const orders = [acts, acts.map((act, i) => tooEarly(act, acts[1 - i] as Act))].flatMap((these) =>
      [
        [0, 1],
        [1, 0],
      ].map((order) => {
        const after = copy(m);
        const expected: string[] = [];
        for (const i of order) expected[i] = (these[i] as Act).rule(after);
        return { after, expected, view: visible(after) };
      }),
    );
    const fit = orders.find((order) => isDeepStrictEqual(copy([order.expected, order.view]), copy([outcomes, view])));
    if (!fit) expect({ outcomes, view }).toEqual({ outcomes: orders[0]?.expected, view: orders[0]?.view });
    else Object.assign(m, fit.after);
  }

  toString = () => this.says;
}

/** An act that was begun a moment before another made something due, which it did not see then. */
function tooEarly(act: Act, other: Act): Act {
  const { tooEarly } = act;
  return tooEarly && other.wakes ? { ...act, rule: () => tooEarly } : act;
}

// Not by structuredClone: what that gives under Jest is of another realm, and equal to nothing.
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** What came of each, once both have ended. */
async function outcomesOf(acts: Promise<string>[]): Promise<string[]> {
  await Promise.allSettled(acts);
  return Promise.all(acts);
}

/** A sweep rings every Request that can be run, and no other. */
class Sweep implements Command {
  check = (m: Readonly<Model>) => m.requests.length > 0;

  async run(m: Model, workers: Workers): Promise<void> {
    expect(await workers.sweep()).toEqual([...m.requests.keys()].filter((i) => isRunnable(m, i)));
  }

  toString = () => "sweep";
}

/** Sees what has come of a command, and what must hold whatever it was. */
async function observe(workers: Workers) {
  const { rows: before } = workers.seen;
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

type Said = [says: string, intent: Intent];

const doing = (names: string[]) =>
  fc
    .tuple(worker, back, fc.constantFrom(...names), way)
    .map(([k, b, name, n]): Said => [`worker ${k}: ${name} (${b} back, ${n})`, act(k, b, name, n)]);
const claiming = fc.tuple(worker, which).map(([k, i]): Said => [`worker ${k}: claim ${i}`, claim(k, i)]);
const cancelling = which.map((i): Said => [`cancel ${i}`, cancel(i)]);
const accepting = fc.nat({ max: 6 }).map((i): Said => [`accept ${i}`, accept(i)]);
const stepping = fc.constantFrom(700, 7000, -700, -7000).map((s): Said => [`clock ${s} s`, stepClock(s)]);
const dying = worker.map((k): Said => [`worker ${k}: die`, die(k)]);
const returning = worker.map((k): Said => [`worker ${k}: come back`, comeBack(k)]);

const alone = (said: fc.Arbitrary<Said>) => said.map(([says, intent]) => new Alone(says, intent));
const single = fc.oneof(claiming, cancelling, doing(ATOMIC));

const FAMILY = Object.keys(DOINGS).filter((name) => name.includes("children"));

/** Everything that may happen; what stands here more than once happens more often. */
export const interleavings = fc.commands<Model, Workers, false>(
  [
    ...Array(3).fill(alone(accepting)),
    ...Array(6).fill(alone(claiming)),
    ...Array(5).fill(alone(doing(Object.keys(DOINGS)))),
    ...Array(4).fill(alone(doing(FAMILY))),
    ...Array(2).fill(alone(stepping)),
    ...Array(2).fill(alone(doing(["finish"]))),
    alone(cancelling),
    alone(dying),
    alone(returning),
    ...Array(3).fill(fc.tuple(single, single).map(([[a, x], [b, y]]) => new AtOnce(`at once: ${a} | ${b}`, [x, y]))),
    fc.constant(new Sweep()),
  ] as fc.Arbitrary<Command>[],
  { maxCommands: 60, size: "max" },
);

/** How many interleavings are tried, and the number that they are drawn from. */
export const draw = {
  numRuns: Number(process.env.TEST_INTERLEAVINGS ?? 40),
  seed: Number(process.env.TEST_SEED ?? 1),
};
