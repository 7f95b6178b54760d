import fc from "fast-check";
import { type ActionFactory, accept, cancel, claim, setFrozen, stepClock } from "./actions.js";
import { type Command, ConcurrentCommand, SingleCommand, SweepCommand } from "./commands.js";
import { ATOMIC, LEASE_ACTIONS, leaseAction } from "./lease-actions.js";
import type { Model } from "./model.js";
import type { RealSystem } from "./real-system.js";

type Described = [description: string, createAction: ActionFactory];

const worker = fc.nat({ max: 2 });
const index = fc.nat({ max: 8 });
// Mostly the newest lease of a worker, sometimes one that is lost.
const back = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3 }) });
const variant = fc.nat({ max: 6 });

const onLease = (names: string[]) =>
  fc
    .tuple(worker, back, fc.constantFrom(...names), variant)
    .map(([k, b, name, n]): Described => [`worker ${k}: ${name} (${b} back, ${n})`, leaseAction(k, b, name, n)]);
const claims = fc.tuple(worker, index).map(([k, i]): Described => [`worker ${k}: claim ${i}`, claim(k, i)]);
const cancels = index.map((i): Described => [`cancel ${i}`, cancel(i)]);
const accepts = fc.nat({ max: 6 }).map((i): Described => [`accept ${i}`, accept(i)]);
const clockSteps = fc.constantFrom(700, 7000, -700, -7000).map((s): Described => [`clock ${s} s`, stepClock(s)]);
const freezes = worker.map((k): Described => [`worker ${k}: freeze`, setFrozen(k, true)]);
const resumes = worker.map((k): Described => [`worker ${k}: resume`, setFrozen(k, false)]);

const single = (described: fc.Arbitrary<Described>) =>
  described.map(([description, createAction]) => new SingleCommand(description, createAction));
const atomic = fc.oneof(claims, cancels, onLease(ATOMIC));

const CHILD_ACTIONS = Object.keys(LEASE_ACTIONS).filter((name) => name.includes("children"));

/** Sequences of up to 60 commands. A command that is listed several times is drawn more often. */
export const interleavings = fc.commands<Model, RealSystem, false>(
  [
    ...Array(3).fill(single(accepts)),
    ...Array(6).fill(single(claims)),
    ...Array(5).fill(single(onLease(Object.keys(LEASE_ACTIONS)))),
    ...Array(4).fill(single(onLease(CHILD_ACTIONS))),
    ...Array(2).fill(single(clockSteps)),
    ...Array(2).fill(single(onLease(["finish"]))),
    single(cancels),
    single(freezes),
    single(resumes),
    ...Array(3).fill(
      fc.tuple(atomic, atomic).map(([[a, x], [b, y]]) => new ConcurrentCommand(`concurrently: ${a} | ${b}`, [x, y])),
    ),
    fc.constant(new SweepCommand()),
  ] as fc.Arbitrary<Command>[],
  { maxCommands: 60, size: "max" },
);

/** The number of interleavings and the seed that draws them. */
export const runParameters = {
  numRuns: Number(process.env.TEST_INTERLEAVINGS ?? 40),
  seed: Number(process.env.TEST_SEED ?? 1),
};
