import type { InputOf } from "@gantry/resources";
import type { Aws } from "../../aws/clients.js";
import { dbInstance, type RestorePoint } from "../../aws/rds/db-instance.js";
import { describeDbInstance, watchedState } from "../../aws/rds/instance-state.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";
import { permanent, poll } from "../../engine/stage-errors.js";

type Input = InputOf<"provision_database_service">;

/** True if the input names a source: the new database is not empty. */
export function isRestore({ sourceServerId, snapshotId }: Input): boolean {
  return sourceServerId !== undefined || snapshotId !== undefined;
}

/**
 * Returns what a database is restored from; undefined for a new one, which is empty.
 *
 * @throws NotYet while RDS cannot restore to the time yet, which it can about five minutes later; PermanentFailure if the source
 * does not exist in AWS
 */
export async function findRestorePoint(
  db: FencedDb,
  scope: CloudScope<Aws>,
  { sourceServerId, restoreTime, snapshotId }: Input,
): Promise<RestorePoint | undefined> {
  if (snapshotId) {
    const snapshot = await db.databaseServerSnapshot.findUniqueOrThrow({ where: { id: snapshotId } });
    if (!snapshot.provisionedId || snapshot.deletedAt) throw permanent("The snapshot does not exist in AWS");
    return { snapshotId: snapshot.provisionedId };
  }
  if (!sourceServerId) return undefined;
  const { provisionedId, deletedAt } = await db.databaseServer.findUniqueOrThrow({ where: { id: sourceServerId } });
  if (!provisionedId || deletedAt) throw permanent("The database server to restore does not exist in AWS");
  if (restoreTime) await requireRestorable(scope, provisionedId, restoreTime);
  return { instanceId: provisionedId, time: restoreTime ?? null };
}

/** True if what a database is restored from is, or was, of a database server that still exists and has extended support. */
export async function hasExtendedSource(
  db: FencedDb,
  scope: CloudScope<Aws>,
  { sourceServerId, snapshotId }: Input,
): Promise<boolean> {
  const snapshot = snapshotId && (await db.databaseServerSnapshot.findUniqueOrThrow({ where: { id: snapshotId } }));
  const id = snapshot ? snapshot.databaseServerId : sourceServerId;
  const source = id === undefined ? null : await db.databaseServer.findUniqueOrThrow({ where: { id } });
  if (!source?.provisionedId || source.deletedAt) return false;
  return (await scope.call(describeDbInstance(source.provisionedId)))?.extendedSupport ?? false;
}

/** RDS says itself what else it refuses. */
async function requireRestorable(scope: CloudScope<Aws>, identifier: string, time: string): Promise<void> {
  const source = await scope.call(describeDbInstance(identifier));
  const latest = source?.latestRestorableTime;
  if (!source || (latest && latest >= new Date(time))) return;
  const reason = `RDS to be able to restore the database to ${time} (now to ${latest?.toISOString() ?? "no time"})`;
  const watched = scope.watch(dbInstance, identifier, watchedState(source));
  throw poll(reason, { everySeconds: 30, limitMinutes: 150, watched });
}
