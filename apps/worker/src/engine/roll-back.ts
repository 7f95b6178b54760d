import type { Run } from "./engine.js";
import { ATTEMPT_LIMIT, classifyError, TAKEOVER_LIMIT } from "./error-policy.js";
import type { LedgerRow } from "./ledger.js";
import { LeaseLost, ShuttingDown } from "./stage-errors.js";

/**
 * How long a rollback may go on before what is left is reported instead of removed, in minutes: RDS lets go of a database
 * only once it has made it, and then takes its time to remove it.
 */
const ROLLBACK_MINUTES = 60;

/**
 * Removes what a failed or cancelled Request has made, the newest first, discards its record and ends the Request.
 * What cannot be removed is named on the Request.
 */
export async function rollBack<Cloud>(run: Run<Cloud>): Promise<void> {
  const { engine, lease, ledger, context } = run;
  const { request } = lease;
  if (request.takeovers >= TAKEOVER_LIMIT) return giveUp(run);
  await context.children.cancelAll();
  await run.workflow.undo?.(context);
  const isLastTry = request.stageAttempts + 1 >= ATTEMPT_LIMIT || request.rollbackMinutes > ROLLBACK_MINUTES;
  const leaked: LedgerRow[] = [];
  for (const row of await ledger.liveObjectsOfRequest()) {
    try {
      await removeRow(run, row);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof ShuttingDown) throw error;
      const outcome = classifyError(error, engine.classify);
      if (!outcome || (outcome.kind !== "permanent" && !isLastTry)) throw error;
      run.log.error({ err: error, kind: row.kind, id: row.cloudId }, "left behind");
      leaked.push(row);
    }
  }
  await run.workflow.discard?.(context);
  await finish(run, leaked);
}

/** Ends a Request whose rollback cannot go on, and names all that is left. */
export async function giveUp<Cloud>(run: Run<Cloud>): Promise<void> {
  try {
    await run.workflow.discard?.(run.context);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    run.log.error({ err: error }, "the record could not be discarded");
  }
  const [own, ofTree] = [await run.ledger.liveObjectsOfRequest(), await run.ledger.liveObjectsOfTree()];
  const known = new Set(own.map(({ id }) => id));
  await finish(run, [...own, ...ofTree.filter(({ id }) => !known.has(id))]);
}

function finish<Cloud>({ journal, lease }: Run<Cloud>, left: LedgerRow[]): Promise<void> {
  const leaked = left.map(({ kind, cloudId, region }) => ({ kind, id: cloudId, region }));
  return journal.finish({ successful: false, message: lease.request.message, leaked });
}

async function removeRow<Cloud>(run: Run<Cloud>, row: LedgerRow): Promise<void> {
  const kind = run.engine.kinds.get(row.kind);
  if (!kind) throw new Error(`no such kind of cloud object: ${row.kind}`);
  const { providerId, region, resourceType, resourceId } = row;
  await run.scope({ providerId, region, owner: { type: resourceType, id: resourceId } }).remove(kind, row);
}
