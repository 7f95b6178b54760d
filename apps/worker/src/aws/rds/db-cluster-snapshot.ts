import {
  AddTagsToResourceCommand,
  CreateDBClusterSnapshotCommand,
  DeleteDBClusterCommand,
  DeleteDBClusterSnapshotCommand,
  DescribeDBClusterSnapshotsCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { allowClusterDeletion } from "./db-cluster.js";
import type { DbSnapshotState } from "./db-snapshot.js";
import { findByIdentifier, identifierOf, NOT_FOUND } from "./identifier.js";

export interface DbClusterSnapshotParams {
  clusterId: string;
  /** True for the final snapshot, which RDS takes while it deletes the cluster, so that it misses no write. */
  isFinal?: boolean;
}

/** A snapshot of an Aurora cluster. Its id is its identifier. */
export const dbClusterSnapshot: CloudKind<Aws, DbClusterSnapshotParams> = {
  kind: "db_cluster_snapshot",
  label: "DB cluster snapshot",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBClusterSnapshotIdentifier) => {
      const { DBClusterSnapshots } = await rds.send(
        new DescribeDBClusterSnapshotsCommand({ DBClusterSnapshotIdentifier }),
      );
      return DBClusterSnapshots;
    }),
  async create({ noRetry }, intent) {
    const { clusterId: DBClusterIdentifier, isFinal } = intent.params;
    const identifier = identifierOf(intent);
    if (isFinal) {
      const deletion = { DBClusterIdentifier, SkipFinalSnapshot: false, FinalDBSnapshotIdentifier: identifier };
      await allowClusterDeletion(DBClusterIdentifier)(noRetry);
      await noRetry.rds.send(new DeleteDBClusterCommand(deletion));
    } else {
      const snapshot = { DBClusterIdentifier, DBClusterSnapshotIdentifier: identifier, Tags: tagsOf(intent) };
      await noRetry.rds.send(new CreateDBClusterSnapshotCommand(snapshot));
    }
    return identifier;
  },
  // A final snapshot has its cluster's tags at first.
  async sync({ rds }, identifier, intent) {
    if (!intent.params.isFinal) return;
    const { DBClusterSnapshots } = await rds.send(
      new DescribeDBClusterSnapshotsCommand({ DBClusterSnapshotIdentifier: identifier }),
    );
    const ResourceName = DBClusterSnapshots?.[0]?.DBClusterSnapshotArn;
    await rds.send(new AddTagsToResourceCommand({ ResourceName, Tags: tagsOf(intent) }));
  },
  obstacles: "none",
  async remove({ rds }, identifier) {
    const removal = new DeleteDBClusterSnapshotCommand({ DBClusterSnapshotIdentifier: identifier });
    await ignoring(rds.send(removal), NOT_FOUND);
  },
};

/** The progress of a snapshot of a cluster, or undefined if there is none. Concurrent calls share one call to AWS. */
export const describeDbClusterSnapshot = batchDescribe<DbSnapshotState>(async ({ rds }, ids) => {
  const { DBClusterSnapshots = [] } = await rds.send(
    new DescribeDBClusterSnapshotsCommand({ Filters: [{ Name: "db-cluster-snapshot-id", Values: ids }] }),
  );
  return new Map(
    DBClusterSnapshots.map(({ DBClusterSnapshotIdentifier: id = "", Status = "", PercentProgress = 0 }) => [
      id,
      { status: Status, progress: PercentProgress },
    ]),
  );
});
