import {
  CreateDBInstanceCommand,
  CreateDBInstanceReadReplicaCommand,
  DeleteDBInstanceCommand,
  DescribeDBInstancesCommand,
  ModifyDBInstanceCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind, Intent } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { AURORA } from "./db-cluster.js";
import { findByIdentifier, identifierOf, NOT_FOUND, throwawayPassword } from "./identifier.js";
import { describeDbInstances, watchedState } from "./instance-state.js";

interface Size {
  flavor: string;
  /** The zone; AWS chooses one where absent. */
  zone?: string;
}

/** An instance without a cluster. */
export interface MasterParams extends Size {
  engine: string;
  version: string;
  username: string;
  storageGb: number;
  storageType: string;
  isEncrypted: boolean;
  multiAz: boolean;
  subnetGroup: string;
  parameterGroup: string;
  securityGroupId: string;
  backupRetentionDays: number;
  backupWindow: string;
  maintenanceWindow: string;
}

/** An instance of an Aurora cluster: the first one writes, the others read. */
export interface MemberParams extends Size {
  clusterId: string;
  parameterGroup: string;
  maintenanceWindow?: string;
}

/** A read replica of another instance. */
export interface ReplicaParams extends Size {
  sourceId: string;
  securityGroupIds: string[];
}

export type DbInstanceParams = MasterParams | MemberParams | ReplicaParams;

/** A database server. Its id is its identifier. */
export const dbInstance: CloudKind<Aws, DbInstanceParams> = {
  kind: "db_instance",
  label: "DB instance",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBInstanceIdentifier) => {
      const { DBInstances } = await rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier }));
      return DBInstances;
    }),
  async create({ noRetry }, intent) {
    const { params } = intent;
    if ("sourceId" in params) await noRetry.rds.send(replicaCommand(intent, params));
    else await noRetry.rds.send("clusterId" in params ? memberCommand(intent, params) : masterCommand(intent, params));
    return identifierOf(intent);
  },
  async remove({ rds }, identifier) {
    await ignoring(
      rds.send(new DeleteDBInstanceCommand({ DBInstanceIdentifier: identifier, SkipFinalSnapshot: true })),
      NOT_FOUND,
    );
  },
  async describeStates(aws, identifiers) {
    const states = await describeDbInstances(aws, identifiers);
    return new Map([...states].map(([identifier, state]) => [identifier, watchedState(state)]));
  },
};

function common(intent: Intent<DbInstanceParams>) {
  const { flavor, zone } = intent.params;
  return {
    DBInstanceIdentifier: identifierOf(intent),
    DBInstanceClass: flavor,
    AvailabilityZone: zone,
    // The record shows the version: AWS must not change it.
    AutoMinorVersionUpgrade: false,
    CopyTagsToSnapshot: true,
    PubliclyAccessible: false,
    Tags: tagsOf(intent),
  };
}

function masterCommand(intent: Intent<DbInstanceParams>, params: MasterParams): CreateDBInstanceCommand {
  return new CreateDBInstanceCommand({
    ...common(intent),
    Engine: params.engine,
    EngineVersion: params.version,
    MasterUsername: params.username,
    MasterUserPassword: throwawayPassword(),
    AllocatedStorage: params.storageGb,
    StorageType: params.storageType,
    StorageEncrypted: params.isEncrypted,
    MultiAZ: params.multiAz,
    DBSubnetGroupName: params.subnetGroup,
    DBParameterGroupName: params.parameterGroup,
    VpcSecurityGroupIds: [params.securityGroupId],
    BackupRetentionPeriod: params.backupRetentionDays,
    PreferredBackupWindow: params.backupWindow,
    PreferredMaintenanceWindow: params.maintenanceWindow,
  });
}

function memberCommand(intent: Intent<DbInstanceParams>, params: MemberParams): CreateDBInstanceCommand {
  return new CreateDBInstanceCommand({
    ...common(intent),
    Engine: AURORA,
    DBClusterIdentifier: params.clusterId,
    DBParameterGroupName: params.parameterGroup,
    PreferredMaintenanceWindow: params.maintenanceWindow,
  });
}

function replicaCommand(intent: Intent<DbInstanceParams>, params: ReplicaParams): CreateDBInstanceReadReplicaCommand {
  return new CreateDBInstanceReadReplicaCommand({
    ...common(intent),
    SourceDBInstanceIdentifier: params.sourceId,
    VpcSecurityGroupIds: params.securityGroupIds,
  });
}

/** Sets the password of an instance's master user. */
export function setInstancePassword(identifier: string, password: string): (aws: Aws) => Promise<void> {
  return async ({ rds }) => {
    await rds.send(
      new ModifyDBInstanceCommand({
        DBInstanceIdentifier: identifier,
        MasterUserPassword: password,
        ApplyImmediately: true,
      }),
    );
  };
}
