import type { Db } from "@gantry/db";
import type { JobQueues } from "@gantry/queue";
import { type RequestType, requestTypeDefinition, requestTypes } from "@gantry/resources";

const typesWhere = (holds: (type: RequestType) => boolean) =>
  (Object.keys(requestTypes) as RequestType[]).filter(holds);

const REMOVALS = typesWhere((type) => {
  const { removesRecord, removesToo = [] } = requestTypeDefinition(type);
  return removesRecord !== undefined || removesToo.length > 0;
});
const CANCELLED = typesWhere((type) => requestTypeDefinition(type).cancelledByRemoval === true);

/**
 * Cancels what a removal queues behind and would only remove, with its children. Does nothing for any other Request. One
 * query.
 */
export async function cancelCreation(
  { db, jobs }: { db: Pick<Db, "$queryRaw">; jobs: Pick<JobQueues, "wake"> },
  requestId: string,
): Promise<void> {
  const cancelled = await db.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE tree AS (
      SELECT earlier.id FROM requests removal JOIN requests earlier ON earlier.queue_key = removal.queue_key
      WHERE removal.id = ${requestId}::uuid AND removal.type = ANY(${REMOVALS}) AND removal.started_at IS NULL
        AND removal.finished_at IS NULL AND earlier.finished_at IS NULL AND earlier.cancel_requested_at IS NULL
        AND earlier.seq < removal.seq AND earlier.type = ANY(${CANCELLED})
        -- The children of one Request run in the order in which it created them.
        AND (earlier.parent_id IS NULL OR earlier.parent_id IS DISTINCT FROM removal.parent_id)
      UNION ALL
      SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id WHERE child.finished_at IS NULL),
    -- Children before their parents, the order in which their own ends lock them.
    locked AS MATERIALIZED (
      SELECT id FROM requests WHERE id IN (SELECT id FROM tree) AND finished_at IS NULL
      ORDER BY seq DESC FOR NO KEY UPDATE),
    all_locked AS MATERIALIZED (SELECT array_agg(id) AS ids FROM locked)
    UPDATE requests SET cancel_requested_at = coalesce(cancel_requested_at, now()), wake = wake + 1, next_run_at = now(),
      updated_at = now()
    FROM all_locked WHERE requests.id = ANY(ids)
    RETURNING requests.id`;
  if (cancelled.length > 0) jobs.wake(...cancelled.map(({ id }) => id));
}
