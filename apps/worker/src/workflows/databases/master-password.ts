import type { DatabaseService, SecretLocation } from "@gantry/db";
import type { Aws } from "../../aws/clients.js";
import { setClusterPassword } from "../../aws/rds/db-cluster.js";
import { setMasterAccess } from "../../aws/rds/db-instance.js";
import type { CloudScope } from "../../engine/cloud-scope.js";

/** A database's master in RDS, and its cluster if it has one. */
export interface MasterInRds {
  clusterId: string | null;
  provisionedId: string;
  /** The maintenance window that a restored instance gets with its password. */
  maintenanceWindow?: string;
}

/** Sets the password of a database's master user, which the cluster has if there is one. */
export async function setMasterPassword(
  scope: CloudScope<Aws>,
  { clusterId, provisionedId, maintenanceWindow }: MasterInRds,
  password: string,
): Promise<void> {
  await scope.call(
    clusterId
      ? setClusterPassword(clusterId, password)
      : setMasterAccess(provisionedId, { password, ...(maintenanceWindow !== undefined && { maintenanceWindow }) }),
  );
}

/** The location of a password of a database. */
export function passwordLocation(
  { id, accountId }: Pick<DatabaseService, "id" | "accountId">,
  column: "password" | "next_password" = "password",
): SecretLocation {
  return { table: "database_services", column, id, account: accountId };
}
