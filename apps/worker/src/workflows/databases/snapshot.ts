import type { Aws } from "../../aws/clients.js";
import { dbClusterSnapshot, describeDbClusterSnapshot } from "../../aws/rds/db-cluster-snapshot.js";
import { dbSnapshot, describeDbSnapshot } from "../../aws/rds/db-snapshot.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";

interface SnapshotOptions {
  snapshotId: string;
  instanceId: string;
  /** The Aurora cluster of the instance: the snapshot copies the cluster. */
  clusterId: string | null;
  /** True if RDS deletes the instance or the cluster with it. */
  isFinal: boolean;
}

/**
 * Takes a snapshot, and records its progress.
 *
 * @throws NotYet while RDS copies
 */
export async function takeSnapshot(db: FencedDb, scope: CloudScope<Aws>, options: SnapshotOptions): Promise<void> {
  const { snapshotId, instanceId, clusterId, isFinal } = options;
  const provisionedId = await (clusterId
    ? scope.ensure(dbClusterSnapshot, { clusterId, isFinal })
    : scope.ensure(dbSnapshot, { instanceId, isFinal }));
  const seen = await scope.call((clusterId ? describeDbClusterSnapshot : describeDbSnapshot)(provisionedId));
  // RDS shows a final snapshot only some time after it began to delete the database.
  if (!seen && !isFinal) throw notShown(provisionedId);
  const { status, progress } = seen ?? { status: "starting", progress: 0 };
  const isComplete = status === "available";
  await db.databaseServerSnapshot.update({
    where: { id: snapshotId },
    data: { provisionedId, state: status, progress: isComplete ? 100 : progress },
  });
  if (status === "failed") throw permanent("AWS could not complete the snapshot");
  if (!isComplete) throw poll(`the snapshot to complete (${progress}%)`, { everySeconds: 30, limitMinutes: 700 });
}
