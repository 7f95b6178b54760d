import type { Obstacle } from "./cloud-kind.js";
import type { ErrorOutcome } from "./error-policy.js";
import { LeaseLost, ShuttingDown } from "./stage-errors.js";

/** The most objects that one wait names. */
const MAX_NAMED = 5;

interface Removal {
  /** What was to be removed, such as `the subnet subnet-1`. */
  object: string;
  /** Asks the cloud what is in the way of the removal now. */
  obstacles(): Promise<Obstacle[]>;
}

// Not a property of the error, which logs would show.
const removals = new WeakMap<Error, Removal>();

/** Remembers which removal the cloud refused with the error. */
export function recordRemoval(error: unknown, removal: Removal): void {
  if (error instanceof Error) removals.set(error, removal);
}

/** Adds to a wait of a removal the ids of what is in its way, as the cloud shows them now. */
export async function nameObstacles(error: unknown, outcome: ErrorOutcome): Promise<ErrorOutcome> {
  const removal = error instanceof Error ? removals.get(error) : undefined;
  if (!removal || outcome.kind !== "wait") return outcome;
  try {
    const obstacles = await removal.obstacles();
    if (obstacles.length === 0) return outcome;
    const more = obstacles.length > MAX_NAMED ? ` and ${obstacles.length - MAX_NAMED} more` : "";
    const facts = obstacles.slice(0, MAX_NAMED).map(({ fact }) => fact);
    return { ...outcome, wait: { ...outcome.wait, inTheWay: `${removal.object} ${facts.join(", ")}${more}` } };
  } catch (failure) {
    if (failure instanceof LeaseLost || failure instanceof ShuttingDown) throw failure;
    return outcome;
  }
}
