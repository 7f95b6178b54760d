import type { Aws } from "../aws/clients.js";
import { RateLimited } from "../aws/rate-limit/rate-limited-client.js";
import type { Engine } from "../engine/engine.js";
import { acquireCall, type ClaimedRegion, claimRegion, type DriftLimits, recordRegions } from "./region-claim.js";
import { scanRegion } from "./scan-region.js";
import { type ScanContext, YieldToUsers } from "./scan-step.js";
import { scanSteps } from "./scan-steps.js";

/** Scans every due region, one after the other. Several workers may scan at once: one worker holds a region. */
export async function scanDrift(engine: Engine<Aws>, limits: DriftLimits): Promise<void> {
  const types = [...engine.workflows.keys()];
  await recordRegions(engine.db, limits);
  while (!engine.isStopping()) {
    const claimed = await claimRegion(engine.db, types, limits, leaseSecondsOf(engine));
    if (!claimed) return;
    await scanClaimed(engine, claimed, types, limits);
  }
}

/** Thrown to end a scan that resumes in the region's next period. */
class Postponed extends Error {}

async function scanClaimed(
  engine: Engine<Aws>,
  claimed: ClaimedRegion,
  types: string[],
  limits: DriftLimits,
): Promise<void> {
  const { providerId, region } = claimed;
  try {
    await scanRegion(scanContext(engine, claimed, types, limits), scanSteps, {
      limits,
      classify: engine.classify,
      onFailure: (error, { kind }, step) => {
        engine.log.warn({ err: error, providerId, region, step }, "drift scan step failed");
        if (kind === "wait") throw new Postponed();
      },
    });
  } catch (error) {
    if (!(error instanceof YieldToUsers || error instanceof Postponed)) throw error;
  }
}

function scanContext(
  engine: Engine<Aws>,
  claimed: ClaimedRegion,
  types: string[],
  limits: DriftLimits,
): Omit<ScanContext, "leftOut"> {
  const { db } = engine;
  return {
    db,
    claimed,
    quietSeconds: limits.quietSeconds,
    call: async (act) => {
      if (engine.isStopping() || !(await acquireCall(db, claimed, types, limits, leaseSecondsOf(engine))))
        throw new YieldToUsers();
      const { background, serverImage } = await engine.connect(claimed, claimed.accountId);
      // Background clients send each call once, so that the budget counts every call, and only while tokens are plentiful.
      return act({ ...background, noRetry: background, background, region: claimed.region, serverImage }).catch(
        (error) => {
          throw error instanceof RateLimited ? new YieldToUsers() : error;
        },
      );
    },
  };
}

/** The length of the lease of a region, which only a call renews: it outlasts the call. */
function leaseSecondsOf({ leaseSeconds, callSeconds }: Engine<Aws>): number {
  return leaseSeconds + callSeconds;
}
