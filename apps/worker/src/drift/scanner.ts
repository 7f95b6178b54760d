import type { Aws } from "../aws/clients.js";
import type { Engine } from "../engine/engine.js";
import { claimRegion, type DriftLimits, recordRegions } from "./region-claim.js";
import { scanRegion } from "./scan-region.js";
import { scanSteps } from "./scan-steps.js";

/** The longest that a worker with nothing to compare waits until it asks again, in seconds. */
const TICK_SECONDS = 30;

/** Looks at every place that is due, one after the other. Several workers may sweep at once: each place is held by one. */
export async function scanDrift(engine: Engine<Aws>, limits: DriftLimits): Promise<void> {
  const types = [...engine.workflows.keys()];
  await recordRegions(engine.db, limits);
  while (!engine.isStopping()) {
    const claimed = await claimRegion(engine.db, types, limits, engine.leaseSeconds);
    if (!claimed) return;
    await scanRegion(engine, claimed, scanSteps, limits);
  }
}

/**
 * Sweeps now and then.
 *
 * @returns a function that ends it and resolves when all is still
 */
export function startDriftScanner(engine: Engine<Aws>, limits: DriftLimits): () => Promise<void> {
  let scanning: Promise<void> | undefined;
  const tick = () => {
    scanning ??= scanDrift(engine, limits)
      .catch((error) => engine.log.warn({ err: error }, "the drift sweep did not get through"))
      .finally(() => {
        scanning = undefined;
      });
  };
  const timer = setInterval(tick, Math.min(TICK_SECONDS, limits.periodSeconds) * 1000);
  tick();
  return async () => {
    clearInterval(timer);
    await scanning;
  };
}
