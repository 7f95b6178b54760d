import { Prisma, type Request, type Tx } from "@gantry/db";
import { requestTypeDefinition, TYPES_CANCELLED_WITH_PARENT } from "@gantry/resources";
import { conflict } from "../../http/errors/errors.js";
import { fetchRows } from "../../http/rows/rows.js";

/**
 * Marks a Request and its children, other than removals, as cancelled. A worker compensates them, started or not.
 *
 * @throws 409 if the Request has ended or cannot be compensated
 */
export async function cancel(db: Tx, { id, type }: Request, wake: (request: Request) => void): Promise<Request> {
  if (requestTypeDefinition(type)?.onFailure !== "compensate")
    throw conflict(`a request of type ${type} cannot be cancelled`);
  const changed = await fetchRows(
    db,
    "request",
    Prisma.sql`
      WITH RECURSIVE tree AS (
        SELECT id FROM requests WHERE id = ${id} AND finished_at IS NULL
        UNION ALL
        SELECT child.id FROM requests child JOIN tree ON child.parent_id = tree.id
        WHERE child.finished_at IS NULL AND child.type = ANY(${TYPES_CANCELLED_WITH_PARENT})
      ),
      -- Children before their parents: the end of a child locks in the same order.
      locked AS MATERIALIZED (
        SELECT id FROM requests WHERE id IN (SELECT id FROM tree) AND finished_at IS NULL
        ORDER BY seq DESC FOR NO KEY UPDATE
      ),
      all_locked AS MATERIALIZED (SELECT array_agg(id) AS ids FROM locked)
      UPDATE requests SET cancel_requested_at = COALESCE(cancel_requested_at, now()), wake = wake + 1,
        next_run_at = now(), updated_at = now()
      FROM all_locked WHERE id = ANY(ids)
      RETURNING requests.*`,
  );
  const cancelled = changed.find((request) => request.id === id);
  if (!cancelled) throw conflict(`request ${id} has already finished`);
  for (const request of changed) wake(request);
  return cancelled;
}
