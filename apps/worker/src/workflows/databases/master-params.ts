import { isAurora, rdsEngineName } from "@gantry/aws-facts";
import type { DatabaseServer, DatabaseService } from "@gantry/db";
import { databaseSettings } from "@gantry/resources";
import type { DbClusterParams } from "../../aws/rds/db-cluster.js";
import type { MasterParams, MemberParams, RestoredParams } from "../../aws/rds/db-instance.js";

interface MasterDependencies {
  subnetGroup: string;
  securityGroupId: string;
  extendedSupport: boolean;
}

/** The parameters of a database's master: its own instance, or for Aurora a cluster and its first member. */
export function masterParams(
  { engine, version, username }: DatabaseService,
  master: DatabaseServer,
  { subnetGroup, securityGroupId, extendedSupport }: MasterDependencies,
): {
  master: MasterParams;
  restored: Omit<RestoredParams, "from">;
  cluster?: DbClusterParams;
  member: Omit<MemberParams, "clusterId">;
} {
  const { flavor, multiAz, storageGb, storageType, iops, backupWindow, maintenanceWindow } = databaseSettings(master);
  // RDS itself chooses the two zones of a Multi-AZ instance.
  const size = multiAz ? { flavor } : { flavor, zone: master.location };
  const content = {
    engine: rdsEngineName(engine),
    version,
    username: username ?? "gantry",
    isEncrypted: master.storageEncrypted,
  };
  const settings = {
    subnetGroup,
    securityGroupId,
    backupRetentionDays: master.backupRetentionPeriod,
    backupWindow,
    extendedSupport,
  };
  const restored = { ...size, ...settings, storageGb, storageType, iops, multiAz, maintenanceWindow };
  return {
    master: { ...content, ...restored },
    restored,
    ...(isAurora(engine) && { cluster: { ...content, ...settings } }),
    member: { ...size, engine: rdsEngineName(engine), maintenanceWindow },
  };
}
