import { repeat } from "@gantry/runtime";
import type { Aws } from "../aws/clients.js";
import type { Engine } from "../engine/engine.js";
import { claimRegion, type DriftLimits, recordRegions } from "./region-claim.js";
import { scanRegion } from "./scan-region.js";
import { scanSteps } from "./scan-steps.js";

/** The longest interval between two scans of a worker. */
const MAX_INTERVAL_SECONDS = 30;

/** Scans every due region, one after the other. Several workers may scan at once: one worker holds a region. */
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
 * Scans at an interval.
 *
 * @returns a function that stops the scanner and resolves when the scan under way has ended
 */
export function startDriftScanner(engine: Engine<Aws>, limits: DriftLimits): () => Promise<void> {
  const { run, stop } = repeat(
    Math.min(MAX_INTERVAL_SECONDS, limits.periodSeconds) * 1000,
    () => scanDrift(engine, limits),
    (error) => engine.log.warn({ err: error }, "drift scan failed"),
  );
  run();
  return stop;
}
