import type { Aws } from "../aws/clients.js";
import type { Engine } from "../engine/engine.js";
import { lookAt } from "./look.js";
import { claimPlace, type DriftLimits, notePlaces } from "./place.js";
import { steps } from "./steps.js";

/** The longest that a worker with nothing to compare waits until it asks again, in seconds. */
const TICK_SECONDS = 30;

/** Looks at every place that is due, one after the other. Several workers may sweep at once: each place is held by one. */
export async function sweepDrift(engine: Engine<Aws>, limits: DriftLimits): Promise<void> {
  const types = [...engine.workflows.keys()];
  await notePlaces(engine.db, limits);
  while (!engine.isStopping()) {
    const place = await claimPlace(engine.db, types, limits, engine.leaseSeconds);
    if (!place) return;
    await lookAt(engine, place, steps, limits);
  }
}

/**
 * Sweeps now and then.
 *
 * @returns a function that ends it and resolves when all is still
 */
export function startDriftSweep(engine: Engine<Aws>, limits: DriftLimits): () => Promise<void> {
  let sweeping: Promise<void> | undefined;
  const tick = () => {
    sweeping ??= sweepDrift(engine, limits)
      .catch((error) => engine.log.warn({ err: error }, "the drift sweep did not get through"))
      .finally(() => {
        sweeping = undefined;
      });
  };
  const timer = setInterval(tick, Math.min(TICK_SECONDS, limits.periodSeconds) * 1000);
  tick();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
