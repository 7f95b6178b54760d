import type { CloudKind } from "./cloud-kind.js";
import type { CloudLocation } from "./cloud-scope.js";
import type { Run } from "./engine.js";
import type { ErrorOutcome } from "./error-policy.js";
import { LeaseLost, ShuttingDown } from "./stage-errors.js";

/** The most objects that one wait names. */
const MAX_NAMED = 5;

interface Removal<Cloud> {
  kind: CloudKind<Cloud>;
  id: string;
  location: CloudLocation;
}

// Not a property of the error, which logs would show.
const removals = new WeakMap<object, Removal<never>>();

/** Remembers which removal the cloud refused with the error. */
export function recordRemoval<Cloud>(error: unknown, removal: Removal<Cloud>): void {
  if (error instanceof Error) removals.set(error, removal as unknown as Removal<never>);
}

/** Adds to a wait of a removal the ids of what is in its way, as the cloud shows them now. */
export async function nameObstacles<Cloud>(
  run: Run<Cloud>,
  error: unknown,
  outcome: ErrorOutcome,
): Promise<ErrorOutcome> {
  if (outcome.kind !== "wait" || !(error instanceof Error)) return outcome;
  const { kind, id, location } = (removals.get(error) as unknown as Removal<Cloud> | undefined) ?? {};
  if (!kind || kind.obstacles === "none" || !id || !location) return outcome;
  const { obstacles, label } = kind;
  try {
    const found = await run.cloud(location).call((cloud) => obstacles(cloud, id));
    if (found.length === 0) return outcome;
    const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : "";
    const facts = found.slice(0, MAX_NAMED).map(({ fact }) => fact);
    return { ...outcome, wait: { ...outcome.wait, inTheWay: `the ${label} ${id} ${facts.join(", ")}${more}` } };
  } catch (failure) {
    if (failure instanceof LeaseLost || failure instanceof ShuttingDown) throw failure;
    return outcome;
  }
}
