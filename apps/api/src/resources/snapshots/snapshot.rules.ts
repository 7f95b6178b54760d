import type { Snapshot, Tx } from "@gantry/db";
import { conflict } from "../../http/errors.js";

/**
 * Call it with the snapshot's row locked.
 *
 * @throws 409 if the snapshot is being taken or restored
 */
export async function requireUnused(db: Tx, { id, accountId, requestId, provisionedId }: Snapshot): Promise<void> {
  const openCount = await db.request.count({ where: { id: requestId, finishedAt: null } });
  if (openCount > 0)
    throw conflict(`the snapshot ${id} is still being taken: snapshot_server ${requestId}`, {
      blocking: [`requests/${requestId}`],
    });
  const restoring = await db.volume.findFirst({
    where: { fromSnapshot: provisionedId ?? "", accountId, provisionedId: null, deletedAt: null },
  });
  if (restoring)
    throw conflict(`the snapshot ${id} is in use: volume ${restoring.id} is being restored from it`, {
      blocking: [`volumes/${restoring.id}`],
    });
}
