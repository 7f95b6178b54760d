import { type DBInstance, DescribeDBInstancesCommand } from "@aws-sdk/client-rds";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";

/** Settings of an instance that RDS changes over time. */
export interface InstanceSettings {
  flavor?: string;
  version?: string;
  storageGb?: number;
  storageType?: string;
  iops?: number | null;
  multiAz?: boolean;
  backupRetentionPeriod?: number;
  /** The CA of its certificate. */
  certificateAuthority?: string | null;
  /** `hh:mm-hh:mm`. */
  backupWindow?: string;
  /** `ddd:hh:mm-ddd:hh:mm`. */
  maintenanceWindow?: string;
}

/** An instance as RDS shows it. */
export interface DbInstanceState {
  status: string;
  /** RDS's unique id, which it never reuses. */
  resourceId: string;
  zone: string | undefined;
  address: string | undefined;
  port: number | undefined;
  flavor: string | undefined;
  storageGb: number | undefined;
  storageType: string | undefined;
  iops: number | undefined;
  isEncrypted: boolean;
  multiAz: boolean;
  certificateAuthority: string | undefined;
  backupWindow: string | undefined;
  maintenanceWindow: string | undefined;
  backupRetentionDays: number | undefined;
  /** The latest time to which RDS can restore it; undefined before its first backup. */
  latestRestorableTime: Date | undefined;
  clusterId: string | undefined;
  /** The identifier of the instance that it replicates. */
  sourceId: string | undefined;
  version: string | undefined;
  /** True if AWS keeps its version running past its standard support. */
  extendedSupport: boolean;
  securityGroupIds: string[];
  /** The settings that RDS is about to change, or will change in the maintenance window. */
  pending: InstanceSettings;
  /** True while RDS applies a new password. */
  isPasswordChanging: boolean;
}

/** The states of up to a hundred instances, by identifier. */
export async function describeDbInstances({ rds }: Aws, ids: string[]): Promise<Map<string, DbInstanceState>> {
  const { DBInstances = [] } = await rds.send(
    new DescribeDBInstancesCommand({ Filters: [{ Name: "db-instance-id", Values: ids }] }),
  );
  return new Map(DBInstances.map((each) => [each.DBInstanceIdentifier ?? "", stateOf(each)]));
}

/** The part of an instance's state whose change wakes the Requests that wait for the instance. */
export function watchedState({ status, isPasswordChanging, address = "no address" }: DbInstanceState): string {
  return `${status}, ${address}${isPasswordChanging ? ", password on its way" : ""}`;
}

/** The state of an instance, or undefined if there is none. Concurrent calls share one call to AWS. */
export const describeDbInstance = batchDescribe(describeDbInstances);

/** The URL under which an instance that has an address is reached. */
export function endpointOf(engine: string, { address, port }: Pick<DbInstanceState, "address" | "port">): string {
  return `${engine.includes("postgres") ? "postgres" : "mysql"}://${address}:${port}`;
}

function stateOf(seen: DBInstance): DbInstanceState {
  return {
    status: seen.DBInstanceStatus ?? "",
    resourceId: seen.DbiResourceId ?? "",
    zone: seen.AvailabilityZone,
    address: seen.Endpoint?.Address,
    port: seen.Endpoint?.Port,
    flavor: seen.DBInstanceClass,
    storageGb: seen.AllocatedStorage,
    storageType: seen.StorageType,
    iops: seen.Iops,
    isEncrypted: seen.StorageEncrypted ?? false,
    multiAz: seen.MultiAZ ?? false,
    certificateAuthority: seen.CACertificateIdentifier,
    backupWindow: seen.PreferredBackupWindow,
    maintenanceWindow: seen.PreferredMaintenanceWindow,
    backupRetentionDays: seen.BackupRetentionPeriod,
    latestRestorableTime: seen.LatestRestorableTime,
    clusterId: seen.DBClusterIdentifier,
    sourceId: seen.ReadReplicaSourceDBInstanceIdentifier,
    version: seen.EngineVersion,
    extendedSupport: seen.EngineLifecycleSupport === "open-source-rds-extended-support",
    securityGroupIds: (seen.VpcSecurityGroups ?? []).flatMap(({ VpcSecurityGroupId: id }) => id ?? []),
    pending: pendingOf(seen),
    isPasswordChanging: seen.PendingModifiedValues?.MasterUserPassword !== undefined,
  };
}

function pendingOf({ PendingModifiedValues: pending = {} }: DBInstance): InstanceSettings {
  const settings = {
    flavor: pending.DBInstanceClass,
    version: pending.EngineVersion,
    storageGb: pending.AllocatedStorage,
    storageType: pending.StorageType,
    iops: pending.Iops,
    multiAz: pending.MultiAZ,
    certificateAuthority: pending.CACertificateIdentifier,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== null));
}

/** The settings of an instance, by the columns of its record. */
export function settingsOf(seen: DbInstanceState) {
  const { flavor, version, storageGb, storageType, iops, multiAz, backupRetentionDays, backupWindow } = seen;
  const backups = { backupRetentionPeriod: backupRetentionDays, backupWindow };
  const { maintenanceWindow, certificateAuthority } = seen;
  const own = { flavor, version, storageGb, storageType, iops, multiAz, certificateAuthority };
  return { ...own, ...backups, maintenanceWindow };
}
