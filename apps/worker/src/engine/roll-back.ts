import { settledOutcome } from "./absence.js";
import { kindOf } from "./cloud-scope.js";
import type { Run } from "./engine.js";
import { ATTEMPT_LIMIT, TAKEOVER_LIMIT } from "./error-policy.js";
import type { LedgerRow } from "./ledger.js";
import { LeaseLost, permanent, ShuttingDown } from "./stage-errors.js";

/**
 * The time after which a rollback reports what is left instead of removing it: RDS releases a database only after
 * creating it, and may then be slow to remove it.
 */
const ROLLBACK_LIMIT_MINUTES = 60;

/**
 * Compensates a failed or cancelled Request: removes what it made, the newest first, discards its record and ends it. The
 * Request names the objects that cannot be removed.
 *
 * @throws the error of a step that must be tried again
 */
export async function rollBack<Cloud>(run: Run<Cloud>): Promise<void> {
  const { state, ledger, context, workflow } = run;
  const { takeovers, stageAttempts } = state.current;
  if (takeovers >= TAKEOVER_LIMIT) throw permanent(`${takeovers} workers were lost while they ran it`);
  await context.children.cancelAll();
  await workflow.undo?.(context);
  const isLastTry = stageAttempts + 1 >= ATTEMPT_LIMIT || state.request.rollbackMinutes > ROLLBACK_LIMIT_MINUTES;
  const leaked: LedgerRow[] = [];
  for (const row of await ledger.liveObjectsOfRequest()) {
    try {
      await removeRow(run, row);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof ShuttingDown) throw error;
      const outcome = await settledOutcome(run, error);
      if (!outcome || (outcome.kind !== "permanent" && !isLastTry)) throw error;
      run.log.error({ err: error, kind: row.kind, id: row.cloudId }, "cloud object left behind");
      leaked.push(row);
    }
  }
  await workflow.discard?.(context);
  await finish(run, leaked);
}

/** Ends a Request whose rollback cannot go on. The Request names all objects that it and its children left. */
export async function giveUp<Cloud>(run: Run<Cloud>): Promise<void> {
  try {
    await run.workflow.discard?.(run.context);
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    run.log.error({ err: error }, "discarding the record failed");
  }
  const [own, ofTree] = [await run.ledger.liveObjectsOfRequest(), await run.ledger.liveObjectsOfTree()];
  const ownIds = new Set(own.map(({ id }) => id));
  await finish(run, [...own, ...ofTree.filter(({ id }) => !ownIds.has(id))]);
}

function finish<Cloud>({ journal, state }: Run<Cloud>, left: LedgerRow[]): Promise<void> {
  const leaked = left.map(({ id, kind, cloudId, region }) => ({ object: id, kind, id: cloudId, region }));
  return journal.finish({ successful: false, message: state.current.message, leaked });
}

async function removeRow<Cloud>({ engine, cloud }: Run<Cloud>, row: LedgerRow): Promise<void> {
  const { providerId, region, resourceType, resourceId } = row;
  const scope = cloud({ providerId, region, owner: { type: resourceType, id: resourceId } });
  await scope.remove(kindOf(engine.kinds, row), row);
}
