import type { Aws } from "../aws/clients.js";
import { RateLimited } from "../aws/rate-limit/rate-limited-client.js";
import type { Engine } from "../engine/engine.js";
import { classifyError } from "../engine/error-policy.js";
import {
  acquireCall,
  type ClaimedRegion,
  type Cursor,
  type DriftLimits,
  releaseRegion,
  type ScanEnd,
} from "./region-claim.js";
import { type ScanContext, type ScanStep, YieldToUsers } from "./scan-step.js";

/**
 * Continues the scan of a claimed region until all steps are done or users' work is due, and releases the region. A step
 * that fails is skipped, and the region's message says why.
 */
export async function scanRegion(
  engine: Engine<Aws>,
  claimed: ClaimedRegion,
  steps: readonly ScanStep[],
  limits: DriftLimits,
): Promise<void> {
  const context = scanContext(engine, claimed, limits);
  const from = claimed.cursor;
  let message = from?.message ?? null;
  const release = (end: ScanEnd, cursor: Cursor | null) =>
    releaseRegion(engine.db, claimed, { end, cursor, message }, limits);

  const first = steps.findIndex(({ name }) => name === from?.step);
  for (const step of steps.slice(Math.max(0, first))) {
    const resumed = from?.step === step.name ? from : undefined;
    const cursor = {
      step: step.name,
      after: resumed?.after ?? null,
      since: resumed?.since ?? (await now(engine)),
      message,
    };
    try {
      await runStep(step, context, cursor);
    } catch (error) {
      if (error instanceof YieldToUsers) return release("yielded", cursor);
      const outcome = classifyError(error, engine.classify);
      if (!outcome) throw error;
      engine.log.warn({ err: error, place: claimed.id, step: step.name }, "drift step failed");
      message ??= outcome.kind === "wait" ? `Waiting for ${outcome.reason}` : outcome.message;
      if (outcome.kind === "wait") return release("postponed", cursor);
    }
  }
  return release("finished", null);
}

/** Compares the pages of a step from its cursor on. */
async function runStep(step: ScanStep, context: ScanContext, cursor: Cursor): Promise<void> {
  for (;;) {
    const next = await step.page(context, cursor.after);
    if (next === null) break;
    cursor.after = next;
  }
  await step.end(context, cursor.since);
}

function scanContext(engine: Engine<Aws>, claimed: ClaimedRegion, limits: DriftLimits): ScanContext {
  const { db, workflows, leaseSeconds } = engine;
  const types = [...workflows.keys()];
  return {
    db,
    claimed,
    quietSeconds: limits.quietSeconds,
    call: async (describe) => {
      if (engine.isStopping() || !(await acquireCall(db, claimed, types, limits, leaseSeconds)))
        throw new YieldToUsers();
      const { background, serverImage } = await engine.connect(claimed, claimed.accountId);
      // Without retries every call is counted. The background client sends only while users' work leaves tokens.
      return describe({ ...background, noRetry: background, background, region: claimed.region, serverImage }).catch(
        (error) => {
          throw error instanceof RateLimited ? new YieldToUsers() : error;
        },
      );
    },
  };
}

async function now({ db }: Engine<Aws>): Promise<string> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now.toISOString() ?? "";
}
