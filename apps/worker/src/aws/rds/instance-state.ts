import { type DBInstance, DescribeDBInstancesCommand } from "@aws-sdk/client-rds";
import { batchDescribe } from "../batch-describe.js";
import type { Aws } from "../clients.js";

/** What RDS says of an instance. */
export interface DbInstanceState {
  status: string;
  /** The id that RDS never gives twice. */
  resourceId: string;
  zone: string | undefined;
  address: string | undefined;
  port: number | undefined;
  storageGb: number | undefined;
  storageType: string | undefined;
  isEncrypted: boolean;
  multiAz: boolean;
  /** `hh:mm-hh:mm`. */
  backupWindow: string | undefined;
  /** `ddd:hh:mm-ddd:hh:mm`. */
  maintenanceWindow: string | undefined;
  backupRetentionDays: number | undefined;
  clusterId: string | undefined;
  parameterGroup: string | undefined;
  securityGroupIds: string[];
  /** True while a new password is on its way. */
  isPasswordChanging: boolean;
}

/** What RDS says of up to a hundred instances, by identifier. */
export async function describeDbInstances({ rds }: Aws, ids: string[]): Promise<Map<string, DbInstanceState>> {
  const { DBInstances = [] } = await rds.send(
    new DescribeDBInstancesCommand({ Filters: [{ Name: "db-instance-id", Values: ids }] }),
  );
  return new Map(DBInstances.map((each) => [each.DBInstanceIdentifier ?? "", stateOf(each)]));
}

/** What of an instance makes a difference to those who wait for it. */
export function watchedState({ status, isPasswordChanging, address = "no address" }: DbInstanceState): string {
  return `${status}, ${address}${isPasswordChanging ? ", password on its way" : ""}`;
}

/** The state of an instance, or undefined where there is none. Concurrent calls share one call to AWS. */
export const describeDbInstance = batchDescribe(describeDbInstances);

/** The URL under which an instance that has an address is reached. */
export function endpointOf(engine: string, { address, port }: Pick<DbInstanceState, "address" | "port">): string {
  return `${engine === "postgres" ? "postgres" : "mysql"}://${address}:${port}`;
}

function stateOf(seen: DBInstance): DbInstanceState {
  return {
    status: seen.DBInstanceStatus ?? "",
    resourceId: seen.DbiResourceId ?? "",
    zone: seen.AvailabilityZone,
    address: seen.Endpoint?.Address,
    port: seen.Endpoint?.Port,
    storageGb: seen.AllocatedStorage,
    storageType: seen.StorageType,
    isEncrypted: seen.StorageEncrypted ?? false,
    multiAz: seen.MultiAZ ?? false,
    backupWindow: seen.PreferredBackupWindow,
    maintenanceWindow: seen.PreferredMaintenanceWindow,
    backupRetentionDays: seen.BackupRetentionPeriod,
    clusterId: seen.DBClusterIdentifier,
    parameterGroup: seen.DBParameterGroups?.[0]?.DBParameterGroupName,
    securityGroupIds: (seen.VpcSecurityGroups ?? []).flatMap(({ VpcSecurityGroupId: id }) => id ?? []),
    isPasswordChanging: seen.PendingModifiedValues?.MasterUserPassword !== undefined,
  };
}
