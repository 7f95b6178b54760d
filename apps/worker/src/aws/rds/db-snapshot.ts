import {
  AddTagsToResourceCommand,
  CreateDBSnapshotCommand,
  DeleteDBInstanceCommand,
  DeleteDBSnapshotCommand,
  DescribeDBSnapshotsCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { allowDeletion } from "./db-instance.js";
import { findByIdentifier, identifierOf, NOT_FOUND } from "./identifier.js";

export interface DbSnapshotParams {
  instanceId: string;
  /** True for the final snapshot, which RDS takes while it deletes the instance, so that it misses no write. */
  isFinal?: boolean;
}

/** A snapshot of an instance. Its id is its identifier. */
export const dbSnapshot: CloudKind<Aws, DbSnapshotParams> = {
  kind: "db_snapshot",
  label: "DB snapshot",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBSnapshotIdentifier) => {
      const { DBSnapshots } = await rds.send(new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier }));
      return DBSnapshots;
    }),
  async create({ noRetry }, intent) {
    const { instanceId: DBInstanceIdentifier, isFinal } = intent.params;
    const identifier = identifierOf(intent);
    if (isFinal) {
      const deletion = { DBInstanceIdentifier, SkipFinalSnapshot: false, FinalDBSnapshotIdentifier: identifier };
      await allowDeletion(DBInstanceIdentifier)(noRetry);
      await noRetry.rds.send(new DeleteDBInstanceCommand(deletion));
    } else {
      const snapshot = { DBInstanceIdentifier, DBSnapshotIdentifier: identifier, Tags: tagsOf(intent) };
      await noRetry.rds.send(new CreateDBSnapshotCommand(snapshot));
    }
    return identifier;
  },
  // A final snapshot has its instance's tags at first.
  async sync({ rds }, identifier, intent) {
    if (!intent.params.isFinal) return;
    const { DBSnapshots } = await rds.send(new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier: identifier }));
    const ResourceName = DBSnapshots?.[0]?.DBSnapshotArn;
    await rds.send(new AddTagsToResourceCommand({ ResourceName, Tags: tagsOf(intent) }));
  },
  obstacles: "none",
  async remove({ rds }, identifier) {
    await ignoring(rds.send(new DeleteDBSnapshotCommand({ DBSnapshotIdentifier: identifier })), NOT_FOUND);
  },
};

/** The progress of a snapshot. */
export interface DbSnapshotState {
  status: string;
  /** In percent. */
  progress: number;
}

/** The progress of a snapshot of an instance, or undefined if there is none. Concurrent calls share one call to AWS. */
export const describeDbSnapshot = batchDescribe<DbSnapshotState>(async ({ rds }, ids) => {
  const { DBSnapshots = [] } = await rds.send(
    new DescribeDBSnapshotsCommand({ Filters: [{ Name: "db-snapshot-id", Values: ids }] }),
  );
  return new Map(
    DBSnapshots.map(({ DBSnapshotIdentifier: id = "", Status = "", PercentProgress = 0 }) => [
      id,
      { status: Status, progress: PercentProgress },
    ]),
  );
});
