import type { Run } from "./engine.js";
import type { LedgerRow } from "./ledger.js";
import { Replaced, Stopping } from "./signals.js";
import { ATTEMPT_LIMIT, TAKEOVER_LIMIT, verdictOn } from "./verdict.js";

/** How long a rollback may go on before what is left is reported instead of removed, in minutes. */
const ROLLBACK_MINUTES = 20;

/**
 * Removes what a failed or cancelled Request has made, the newest first, discards its record and ends the Request.
 * What cannot be removed is named on the Request.
 */
export async function rollBack<Cloud>(run: Run<Cloud>): Promise<void> {
  const { engine, lease, ledger, context } = run;
  const { request } = lease;
  const living = await ledger.livingOfRequest();
  if (request.takeovers >= TAKEOVER_LIMIT) return finishRollback(run, living);
  await context.children.end();
  const isLastTry = request.stageAttempts + 1 >= ATTEMPT_LIMIT || request.rollbackMinutes > ROLLBACK_MINUTES;
  const leaked: LedgerRow[] = [];
  for (const row of living) {
    try {
      await removeRow(run, row);
    } catch (error) {
      if (error instanceof Replaced || error instanceof Stopping) throw error;
      const verdict = verdictOn(error, engine.classify);
      if (!verdict || (verdict.kind !== "permanent" && !isLastTry)) throw error;
      run.log.error({ err: error, kind: row.kind, id: row.cloudId }, "left behind");
      leaked.push(row);
    }
  }
  await finishRollback(run, leaked);
}

/** Ends a Request whose work was undone but for `leaked`. */
export async function finishRollback<Cloud>(run: Run<Cloud>, leaked: LedgerRow[]): Promise<void> {
  await run.workflow.discard?.(run.context);
  await run.journal.finish({
    successful: false,
    message: run.lease.request.message,
    leaked: leaked.map(({ kind, cloudId, region }) => ({ kind, id: cloudId, region })),
  });
}

async function removeRow<Cloud>(run: Run<Cloud>, row: LedgerRow): Promise<void> {
  const kind = run.engine.kinds.get(row.kind);
  if (!kind) throw new Error(`no such kind of cloud object: ${row.kind}`);
  const { providerId, region, resourceType, resourceId } = row;
  await run.hands({ providerId, region, owner: { type: resourceType, id: resourceId } }).remove(kind, row);
}
