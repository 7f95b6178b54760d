import type { Prisma, Snapshot, Tx } from "@gantry/db";
import { conflict } from "../http/errors/errors.js";

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
  const unfinishedCount = await db.request.count({ where: { id: requestId, finishedAt: null } });
  if (unfinishedCount > 0)
    throw conflict(`snapshot ${id} is still being created: snapshot_server ${requestId}`, {
      blocking: [`requests/${requestId}`],
    });
  await refuseUse(db, `snapshot ${id}`, { accountId, fromSnapshot: provisionedId ?? "" });
}

/**
 * Locks the snapshots of an environment until the transaction ends.
 *
 * @throws 409 if a volume, or a server of another environment, needs one of them
 */
export async function requireUnusedOutside(
  db: Tx,
  { id, accountId }: { id: number; accountId: string },
): Promise<void> {
  const snapshots = await db.$queryRaw<{ provisionedId: string | null }[]>`
    SELECT provisioned_id AS "provisionedId" FROM snapshots
    WHERE environment_id = ${id} AND deleted_at IS NULL ORDER BY id FOR UPDATE`;
  const fromSnapshot = { in: snapshots.flatMap(({ provisionedId }) => provisionedId ?? []) };
  const outside = { NOT: { server: { environmentId: id } } };
  await refuseUse(db, `a snapshot of environment ${id}`, { accountId, fromSnapshot, ...outside });
}

async function refuseUse(db: Tx, what: string, where: Prisma.VolumeWhereInput): Promise<void> {
  const user = await db.volume.findFirst({ where: { ...NEEDING, ...where } });
  if (!user) return;
  const [reason, blocking] =
    user.mount === "/"
      ? [`server ${user.serverId} was started from it; remove the server first`, `servers/${user.serverId}`]
      : [`volume ${user.id} is being restored from it`, `volumes/${user.id}`];
  throw conflict(`${what} is in use: ${reason}`, { blocking: [blocking] });
}
