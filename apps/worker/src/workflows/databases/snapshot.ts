import type { Aws } from "../../aws/clients.js";
import { clusterSnapshotState, dbClusterSnapshot } from "../../aws/rds/db-cluster-snapshot.js";
import { dbSnapshot, snapshotState } from "../../aws/rds/db-snapshot.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import type { FencedDb } from "../../engine/fenced-db.js";
import { permanent, poll } from "../../engine/stage-errors.js";

interface Wanted {
  snapshotId: string;
  instanceId: string;
  /** The Aurora cluster that the instance is in: there the cluster is what is copied. */
  clusterId: string | null;
  /** True where the instance or the cluster goes with it. */
  isFinal: boolean;
}

/**
 * Takes a snapshot and passes once it is complete; its record shows meanwhile how far it is.
 *
 * @throws NotYet while RDS copies
 */
export async function takeSnapshot(db: FencedDb, aws: CloudScope<Aws>, wanted: Wanted): Promise<void> {
  const { snapshotId, instanceId, clusterId, isFinal } = wanted;
  const provisionedId = await (clusterId
    ? aws.ensure(dbClusterSnapshot, { clusterId, isFinal })
    : aws.ensure(dbSnapshot, { instanceId, isFinal }));
  const seen = await aws.call((clusterId ? clusterSnapshotState : snapshotState)(provisionedId));
  const { status, progress } = seen ?? { status: "starting", progress: 0 };
  const isComplete = status === "available";
  await db.databaseServerSnapshot.update({
    where: { id: snapshotId },
    data: { provisionedId, state: status, progress: isComplete ? 100 : progress },
  });
  if (status === "failed") throw permanent("AWS could not complete the snapshot");
  if (!isComplete) throw poll(`the snapshot to be complete: ${progress}%`, { everySeconds: 30, limitMinutes: 700 });
}
