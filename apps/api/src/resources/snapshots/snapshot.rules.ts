import type { Prisma, Snapshot, Tx } from "@gantry/db";
import { conflict } from "../../http/errors.js";

/**
 * The volumes that need a snapshot in AWS: those that are being restored from it, and the root disks of servers, whose image
 * needs it as long as the server exists.
 */
const NEEDING = {
  deletedAt: null,
  OR: [{ provisionedId: null }, { mount: "/" }],
} satisfies Prisma.VolumeWhereInput;

/**
 * Call it with the snapshot's row locked.
 *
 * @throws 409 if the snapshot is being taken, or a volume or a server needs it
 */
export async function requireUnused(db: Tx, { id, accountId, requestId, provisionedId }: Snapshot): Promise<void> {
  const openCount = await db.request.count({ where: { id: requestId, finishedAt: null } });
  if (openCount > 0)
    throw conflict(`the snapshot ${id} is still being taken: snapshot_server ${requestId}`, {
      blocking: [`requests/${requestId}`],
    });
  const user = await db.volume.findFirst({ where: { ...NEEDING, fromSnapshot: provisionedId ?? "", accountId } });
  if (user?.mount === "/")
    throw conflict(
      `the snapshot ${id} is in use: server ${user.serverId} was started from it; remove the server first`,
      {
        blocking: [`servers/${user.serverId}`],
      },
    );
  if (user)
    throw conflict(`the snapshot ${id} is in use: volume ${user.id} is being restored from it`, {
      blocking: [`volumes/${user.id}`],
    });
}

/**
 * Locks the snapshots of an environment until the transaction ends.
 *
 * @throws 409 if a server of another environment was started from one of them
 */
export async function requireUnusedOutside(db: Tx, environmentId: number): Promise<void> {
  const snapshots = await db.$queryRaw<{ accountId: string; provisionedId: string | null }[]>`
    SELECT account_id AS "accountId", provisioned_id AS "provisionedId" FROM snapshots
    WHERE environment_id = ${environmentId} AND deleted_at IS NULL ORDER BY id FOR UPDATE`;
  const [first] = snapshots;
  if (!first) return;
  const fromSnapshot = { in: snapshots.flatMap(({ provisionedId }) => provisionedId ?? []) };
  const outside = { environmentId: { not: environmentId } };
  const user = await db.volume.findFirst({
    where: { ...NEEDING, fromSnapshot, accountId: first.accountId, server: outside },
  });
  if (user)
    throw conflict(
      `a snapshot of the environment ${environmentId} is in use: server ${user.serverId} was started from it; remove the server first`,
      { blocking: [`servers/${user.serverId}`] },
    );
}
