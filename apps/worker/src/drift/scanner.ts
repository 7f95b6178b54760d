import type { Aws } from "../aws/clients.js";
import type { Engine } from "../engine/engine.js";
import { claimRegion, type DriftLimits, recordRegions } from "./region-claim.js";
import { scanRegion } from "./scan-region.js";
import { scanSteps } from "./scan-steps.js";

/** The longest time between two searches for due regions, in seconds. */
const TICK_SECONDS = 30;

/** Scans every due region, one after the other. Several workers may scan at once: one worker holds each region. */
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
 * Scans due regions periodically.
 *
 * @returns a function that ends the scans and resolves when the current one has ended
 */
export function startDriftScanner(engine: Engine<Aws>, limits: DriftLimits): () => Promise<void> {
  let scanning: Promise<void> | undefined;
  const tick = () => {
    scanning ??= scanDrift(engine, limits)
      .catch((error) => engine.log.warn({ err: error }, "drift scan failed"))
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
