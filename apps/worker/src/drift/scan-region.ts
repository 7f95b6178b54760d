import type { Db } from "@gantry/db";
import { type ClassifyCloudError, classifyError, type ErrorOutcome } from "../engine/error-policy.js";
import { LeaseLost, ShuttingDown } from "../engine/stage-errors.js";
import { type Cursor, type DriftLimits, releaseRegion, type ScanEnd } from "./region-claim.js";
import { type ScanContext, type ScanStep, YieldToUsers } from "./scan-step.js";

/** The most ids that a report shows. */
const MOST_LEFT_OUT = 100;

/** The rules of one scan. */
export interface ScanRules {
  limits: Pick<DriftLimits, "periodSeconds" | "calls">;
  classify: ClassifyCloudError;
  /**
   * Receives the failure of a step, which the scan then skips; what it throws ends the scan, to be resumed at this
   * step.
   */
  onFailure(error: unknown, outcome: ErrorOutcome, step: string): void;
}

/**
 * Runs the remaining steps of the scan of a claimed region, until all are done or the scan must stop, and releases the
 * region. Skips a step that fails, and records the reason in the region's row.
 *
 * @returns the first reason why a step was skipped; null if none was
 * @throws what `onFailure` throws, YieldToUsers, and what ends the run of a Request
 */
export async function scanRegion(
  given: Omit<ScanContext, "leftOut">,
  steps: readonly ScanStep[],
  { limits, classify, onFailure }: ScanRules,
): Promise<string | null> {
  const { db, claimed } = given;
  const from = claimed.cursor;
  const context = { ...given, leftOut: new Set(from?.leftOut) };
  let message = from?.message ?? null;
  const release = (end: ScanEnd, cursor: Cursor | null) => {
    const leftOut = [...context.leftOut].slice(0, MOST_LEFT_OUT);
    return releaseRegion(db, claimed, { end, cursor: cursor && { ...cursor, leftOut }, message, leftOut }, limits);
  };

  const first = steps.findIndex(({ name }) => name === from?.step);
  for (const step of steps.slice(Math.max(0, first))) {
    const resumed = from?.step === step.name ? from : undefined;
    const since = resumed?.since ?? (await now(db));
    const cursor = { step: step.name, after: resumed?.after ?? null, since, message, leftOut: [] };
    try {
      await runStep(step, context, cursor);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof ShuttingDown) throw error;
      if (error instanceof YieldToUsers) {
        await release("yielded", cursor);
        throw error;
      }
      const outcome = classifyError(error, classify);
      if (!outcome) throw error;
      message ??= outcome.kind === "wait" ? `Waiting for ${outcome.wait.reason}` : outcome.message;
      try {
        onFailure(error, outcome, step.name);
      } catch (end) {
        await release("postponed", cursor);
        throw end;
      }
    }
  }
  await release("finished", null);
  return message;
}

/** Runs the pages of a step, from the cursor on. */
async function runStep(step: ScanStep, context: ScanContext, cursor: Cursor): Promise<void> {
  for (;;) {
    const next = await step.page(context, cursor.after);
    if (next === null) break;
    cursor.after = next;
  }
  await step.end(context, cursor.since);
}

async function now(db: Pick<Db, "$queryRaw">): Promise<string> {
  const [row] = await db.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
  return row?.now.toISOString() ?? "";
}
