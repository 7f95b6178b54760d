import {
  CreateDBClusterCommand,
  DeleteDBClusterCommand,
  DescribeDBClustersCommand,
  ModifyDBClusterCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { findByIdentifier, identifierOf, NOT_FOUND, throwawayPassword } from "./identifier.js";

/** AWS's name for the engine `aurora`. */
export const AURORA = "aurora-mysql";

export interface DbClusterParams {
  version: string;
  username: string;
  subnetGroup: string;
  securityGroupId: string;
  isEncrypted: boolean;
  backupRetentionDays: number;
  backupWindow: string;
}

/** An Aurora cluster: the storage and the credentials that its instances share. Its id is its identifier. */
export const dbCluster: CloudKind<Aws, DbClusterParams> = {
  kind: "db_cluster",
  label: "DB cluster",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBClusterIdentifier) => {
      const { DBClusters } = await rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier }));
      return DBClusters;
    }),
  async create({ noRetry }, intent) {
    const { params } = intent;
    const identifier = identifierOf(intent);
    await noRetry.rds.send(
      new CreateDBClusterCommand({
        DBClusterIdentifier: identifier,
        Engine: AURORA,
        EngineVersion: params.version,
        MasterUsername: params.username,
        MasterUserPassword: throwawayPassword(),
        DBSubnetGroupName: params.subnetGroup,
        VpcSecurityGroupIds: [params.securityGroupId],
        StorageEncrypted: params.isEncrypted,
        BackupRetentionPeriod: params.backupRetentionDays,
        PreferredBackupWindow: params.backupWindow,
        CopyTagsToSnapshot: true,
        Tags: tagsOf(intent),
      }),
    );
    return identifier;
  },
  async remove({ rds }, identifier) {
    await ignoring(
      rds.send(new DeleteDBClusterCommand({ DBClusterIdentifier: identifier, SkipFinalSnapshot: true })),
      NOT_FOUND,
    );
  },
  describeStates: describe,
};

async function describe({ rds }: Aws, ids: string[]): Promise<Map<string, string>> {
  const { DBClusters = [] } = await rds.send(
    new DescribeDBClustersCommand({ Filters: [{ Name: "db-cluster-id", Values: ids }] }),
  );
  return new Map(DBClusters.map((each) => [each.DBClusterIdentifier ?? "", each.Status ?? ""]));
}

/** The status of a cluster, or undefined where there is none. Concurrent calls share one call to AWS. */
export const describeDbCluster = batchDescribe(describe);

/** Sets the password of a cluster's master user. */
export function setClusterPassword(identifier: string, password: string): (aws: Aws) => Promise<void> {
  return async ({ rds }) => {
    await rds.send(
      new ModifyDBClusterCommand({
        DBClusterIdentifier: identifier,
        MasterUserPassword: password,
        ApplyImmediately: true,
      }),
    );
  };
}
