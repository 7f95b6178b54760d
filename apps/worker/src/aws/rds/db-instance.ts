import {
  CreateDBInstanceCommand,
  CreateDBInstanceReadReplicaCommand,
  DeleteDBInstanceCommand,
  DescribeDBInstancesCommand,
  ModifyDBInstanceCommand,
  PromoteReadReplicaCommand,
  RebootDBInstanceCommand,
  RestoreDBInstanceFromDBSnapshotCommand,
  RestoreDBInstanceToPointInTimeCommand,
  StartDBInstanceCommand,
  StopDBInstanceCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind, Intent } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { findByIdentifier, identifierOf, NOT_FOUND, throwawayPassword } from "./identifier.js";
import { describeDbInstances, type InstanceSettings, watchedState } from "./instance-state.js";

interface Size {
  flavor: string;
  /** The zone; AWS chooses one if absent. */
  zone?: string;
}

/** An instance without a cluster. */
export interface MasterParams extends Size {
  engine: string;
  version: string;
  username: string;
  storageGb: number;
  storageType: string;
  /** Null or absent for those that RDS gives. */
  iops?: number | null;
  isEncrypted: boolean;
  multiAz: boolean;
  subnetGroup: string;
  securityGroupId: string;
  backupRetentionDays: number;
  backupWindow: string;
  maintenanceWindow: string;
  /** True for a version past its standard support, which AWS then charges for. */
  extendedSupport: boolean;
}

/** What an instance is restored from: the backups of another instance, to a time or the latest one, or a snapshot. */
export type RestorePoint = { instanceId: string; time: string | null } | { snapshotId: string };

/** An instance that is restored: it has the engine, the version, the master user and the encryption of its source. */
export interface RestoredParams extends Omit<MasterParams, "engine" | "version" | "username" | "isEncrypted"> {
  from: RestorePoint;
}

/** An instance of an Aurora cluster: the first one writes, the others read. */
export interface MemberParams extends Size {
  clusterId: string;
  engine?: string;
  maintenanceWindow?: string;
}

/** A read replica of another instance. */
export interface ReplicaParams extends Size {
  sourceId: string;
  securityGroupIds: string[];
}

export type DbInstanceParams = MasterParams | RestoredParams | MemberParams | ReplicaParams;

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
    else if ("from" in params) await restore(noRetry, intent, params);
    else await noRetry.rds.send("clusterId" in params ? memberCommand(intent, params) : masterCommand(intent, params));
    return identifierOf(intent);
  },
  // Its deletion protection is Gantry's own. RDS promotes the replicas that remain.
  obstacles: "none",
  async remove(aws, identifier, params) {
    // The cluster is protected, but its members are not.
    if (!("clusterId" in params)) await ignoring(allowDeletion(identifier)(aws), NOT_FOUND);
    await ignoring(
      aws.rds.send(new DeleteDBInstanceCommand({ DBInstanceIdentifier: identifier, SkipFinalSnapshot: true })),
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
    AutoMinorVersionUpgrade: true,
    CopyTagsToSnapshot: true,
    PubliclyAccessible: false,
    Tags: tagsOf(intent),
  };
}

/** What a new instance and a restored one have. */
function ownSettings(params: MasterParams | RestoredParams) {
  return {
    AllocatedStorage: params.storageGb,
    StorageType: params.storageType,
    Iops: params.iops ?? undefined,
    MultiAZ: params.multiAz,
    DBSubnetGroupName: params.subnetGroup,
    VpcSecurityGroupIds: [params.securityGroupId],
    BackupRetentionPeriod: params.backupRetentionDays,
    PreferredBackupWindow: params.backupWindow,
    DeletionProtection: true,
    EngineLifecycleSupport: lifecycleSupport(params),
  };
}

/**
 * Restores an instance. RDS takes neither a password nor a maintenance window with it, and has the source's password at first:
 * RestoreDBInstanceToPointInTime and RestoreDBInstanceFromDBSnapshot in the RDS API reference, read in November 2026.
 */
async function restore(
  { rds }: Pick<Aws, "rds">,
  intent: Intent<DbInstanceParams>,
  params: RestoredParams,
): Promise<void> {
  const settings = { ...common(intent), ...ownSettings(params) };
  const { from } = params;
  if ("snapshotId" in from) {
    await rds.send(new RestoreDBInstanceFromDBSnapshotCommand({ ...settings, DBSnapshotIdentifier: from.snapshotId }));
    return;
  }
  const { DBInstanceIdentifier: TargetDBInstanceIdentifier, ...rest } = settings;
  const time = from.time === null ? { UseLatestRestorableTime: true } : { RestoreTime: new Date(from.time) };
  const source = { SourceDBInstanceIdentifier: from.instanceId, ...time };
  await rds.send(new RestoreDBInstanceToPointInTimeCommand({ ...rest, TargetDBInstanceIdentifier, ...source }));
}

function masterCommand(intent: Intent<DbInstanceParams>, params: MasterParams): CreateDBInstanceCommand {
  return new CreateDBInstanceCommand({
    ...common(intent),
    ...ownSettings(params),
    Engine: params.engine,
    EngineVersion: params.version,
    MasterUsername: params.username,
    MasterUserPassword: throwawayPassword(),
    StorageEncrypted: params.isEncrypted,
    PreferredMaintenanceWindow: params.maintenanceWindow,
  });
}

function memberCommand(intent: Intent<DbInstanceParams>, params: MemberParams): CreateDBInstanceCommand {
  return new CreateDBInstanceCommand({
    ...common(intent),
    // Intents of earlier versions name no engine.
    Engine: params.engine ?? "aurora-mysql",
    DBClusterIdentifier: params.clusterId,
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

/** The support of a version by AWS. Extended support costs money, and is AWS's default. */
export function lifecycleSupport({ extendedSupport }: { extendedSupport: boolean }): string {
  return `open-source-rds-extended-support${extendedSupport ? "" : "-disabled"}`;
}

/**
 * Turns off the deletion protection of an instance, once: RDS deletes no instance while it applies a change, and changes none
 * that is stopped, so that a stopped one is started first.
 */
export function allowDeletion(identifier: string): (aws: Pick<Aws, "rds">) => Promise<void> {
  return async ({ rds }) => {
    const { DBInstances } = await rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: identifier }));
    if (!DBInstances?.[0]?.DeletionProtection) return;
    if (DBInstances[0].DBInstanceStatus === "stopped") await startDbInstance(identifier)({ rds });
    await rds.send(new ModifyDBInstanceCommand({ DBInstanceIdentifier: identifier, DeletionProtection: false }));
  };
}

/** What an instance gets at once from Gantry beside its settings, which its record shows. */
interface MasterAccess {
  /** Of the master user. */
  password: string;
  maintenanceWindow?: string;
  /** Replaces all others. */
  securityGroupId?: string;
  deletionProtection?: true;
}

/** Sets the password of an instance's master user, and at once with it what else is given. */
export function setMasterAccess(
  identifier: string,
  { password, maintenanceWindow, securityGroupId, deletionProtection }: MasterAccess,
): (aws: Aws) => Promise<void> {
  return async ({ rds }) => {
    await rds.send(
      new ModifyDBInstanceCommand({
        DBInstanceIdentifier: identifier,
        MasterUserPassword: password,
        PreferredMaintenanceWindow: maintenanceWindow,
        VpcSecurityGroupIds: securityGroupId === undefined ? undefined : [securityGroupId],
        DeletionProtection: deletionProtection,
        ApplyImmediately: true,
      }),
    );
  };
}

/** Has RDS change an instance, at once or in the maintenance window; the instance's state shows when it has. */
export function modifyDbInstance(
  identifier: string,
  settings: InstanceSettings,
  apply: "now" | "window",
): (aws: Aws) => Promise<void> {
  const { flavor, version, storageGb, storageType, iops, multiAz, backupRetentionPeriod } = settings;
  const { backupWindow, maintenanceWindow, certificateAuthority } = settings;
  return async ({ rds }) => {
    await rds.send(
      new ModifyDBInstanceCommand({
        DBInstanceIdentifier: identifier,
        DBInstanceClass: flavor,
        EngineVersion: version,
        // The API has checked that RDS upgrades to it.
        AllowMajorVersionUpgrade: version === undefined ? undefined : true,
        AllocatedStorage: storageGb,
        StorageType: storageType,
        Iops: iops ?? undefined,
        MultiAZ: multiAz,
        BackupRetentionPeriod: backupRetentionPeriod,
        PreferredBackupWindow: backupWindow,
        PreferredMaintenanceWindow: maintenanceWindow,
        CACertificateIdentifier: certificateAuthority ?? undefined,
        ApplyImmediately: apply === "now",
      }),
    );
  };
}

/** Starts a stopped instance; its state shows when it is available. */
export function startDbInstance(identifier: string): (aws: Pick<Aws, "rds">) => Promise<void> {
  return async ({ rds }) => {
    await rds.send(new StartDBInstanceCommand({ DBInstanceIdentifier: identifier }));
  };
}

/** Stops an instance; its state shows when it is stopped. */
export function stopDbInstance(identifier: string): (aws: Aws) => Promise<void> {
  return async ({ rds }) => {
    await rds.send(new StopDBInstanceCommand({ DBInstanceIdentifier: identifier }));
  };
}

/** Restarts an instance, or has its copy in another zone take over; the call is never repeated by itself. */
export function rebootDbInstance(identifier: string, failover: boolean): (aws: Aws) => Promise<void> {
  return async ({ noRetry }) => {
    await noRetry.rds.send(
      new RebootDBInstanceCommand({ DBInstanceIdentifier: identifier, ForceFailover: failover || undefined }),
    );
  };
}

/** What an instance has once it is no replica any more. */
export interface PromotionSettings {
  backupRetentionDays: number;
  /** RDS chooses one if absent. */
  backupWindow?: string;
}

/** Makes a replica an instance of its own; the state of the instance shows when it is, by no longer naming a source. */
export function promoteDbInstance(
  identifier: string,
  { backupRetentionDays, backupWindow }: PromotionSettings,
): (aws: Aws) => Promise<void> {
  return async ({ noRetry }) => {
    await noRetry.rds.send(
      new PromoteReadReplicaCommand({
        DBInstanceIdentifier: identifier,
        BackupRetentionPeriod: backupRetentionDays,
        PreferredBackupWindow: backupWindow,
      }),
    );
  };
}
