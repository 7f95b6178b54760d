import {
  CreateDBClusterCommand,
  type DBCluster,
  DeleteDBClusterCommand,
  DescribeDBClustersCommand,
  ModifyDBClusterCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { lifecycleSupport } from "./db-instance.js";
import { findByIdentifier, identifierOf, NOT_FOUND, throwawayPassword } from "./identifier.js";

export interface DbClusterParams {
  /** AWS's name, such as aurora-postgresql. */
  engine?: string;
  version: string;
  username: string;
  subnetGroup: string;
  securityGroupId: string;
  isEncrypted: boolean;
  backupRetentionDays: number;
  backupWindow: string;
  /** As of an instance. */
  extendedSupport: boolean;
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
        // Intents of earlier versions name no engine.
        Engine: params.engine ?? "aurora-mysql",
        EngineVersion: params.version,
        MasterUsername: params.username,
        MasterUserPassword: throwawayPassword(),
        DBSubnetGroupName: params.subnetGroup,
        VpcSecurityGroupIds: [params.securityGroupId],
        StorageEncrypted: params.isEncrypted,
        BackupRetentionPeriod: params.backupRetentionDays,
        PreferredBackupWindow: params.backupWindow,
        CopyTagsToSnapshot: true,
        DeletionProtection: true,
        EngineLifecycleSupport: lifecycleSupport(params),
        Tags: tagsOf(intent),
      }),
    );
    return identifier;
  },
  // Its deletion protection is Gantry's own.
  async obstacles({ rds }, identifier) {
    const Filters = [{ Name: "db-cluster-id", Values: [identifier] }];
    const [cluster] = (await rds.send(new DescribeDBClustersCommand({ Filters }))).DBClusters ?? [];
    const { DBClusterMembers = [], GlobalClusterIdentifier: global } = cluster ?? {};
    return [
      ...DBClusterMembers.map(({ DBInstanceIdentifier: id = "" }) => ({
        fact: `contains DB instance ${id}`,
        ids: [id],
      })),
      ...(global ? [{ fact: `is part of global cluster ${global}`, ids: [global] }] : []),
    ];
  },
  async remove(aws, identifier) {
    await ignoring(allowClusterDeletion(identifier)(aws), NOT_FOUND);
    await ignoring(
      aws.rds.send(new DeleteDBClusterCommand({ DBClusterIdentifier: identifier, SkipFinalSnapshot: true })),
      NOT_FOUND,
    );
  },
  describeStates: describe,
};

async function describe({ rds }: Aws, ids: string[]): Promise<Map<string, string>> {
  const { DBClusters = [] } = await rds.send(
    new DescribeDBClustersCommand({ Filters: [{ Name: "db-cluster-id", Values: ids }] }),
  );
  return new Map(DBClusters.map((each) => [each.DBClusterIdentifier ?? "", stateOf(each)]));
}

// A cluster is "available" while it applies a new password.
function stateOf({ Status = "", PendingModifiedValues }: DBCluster): string {
  return PendingModifiedValues?.MasterUserPassword === undefined ? Status : `${Status}, password on its way`;
}

/** The status of a cluster, or undefined if there is none. Concurrent calls share one call to AWS. */
export const describeDbCluster = batchDescribe(describe);

/** Turns off the deletion protection of a cluster, once: RDS deletes no cluster while it applies a change. */
export function allowClusterDeletion(identifier: string): (aws: Pick<Aws, "rds">) => Promise<void> {
  return async ({ rds }) => {
    const { DBClusters } = await rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier: identifier }));
    if (!DBClusters?.[0]?.DeletionProtection) return;
    await rds.send(new ModifyDBClusterCommand({ DBClusterIdentifier: identifier, DeletionProtection: false }));
  };
}

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
