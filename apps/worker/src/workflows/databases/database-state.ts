import type { Prisma } from "@gantry/db";
import type { Aws } from "../../aws/clients.js";
import { dbCluster, describeDbCluster } from "../../aws/rds/db-cluster.js";
import { dbInstance } from "../../aws/rds/db-instance.js";
import { type DbInstanceState, describeDbInstance, endpointOf, watchedState } from "../../aws/rds/instance-state.js";
import { backupWindowOf, maintenanceWindowOf } from "../../aws/rds/windows.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { permanent, poll } from "../../engine/stage-errors.js";

// States that an instance does not leave by itself.
const BROKEN_STATUS = /^(failed|incompatible-|inaccessible-|insufficient-capacity|restore-error|storage-full)/;

// As often as the waiters of AWS's own SDKs.
const SLOW_POLL = { everySeconds: 30, limitMinutes: 150 };

/**
 * Passes once an instance can be used, and gives what RDS says of it.
 *
 * @throws NotYet while it is being made or changed; Permanent where it is broken
 */
export async function requireAvailableInstance(scope: CloudScope<Aws>, identifier: string): Promise<DbInstanceState> {
  const seen = await scope.call(describeDbInstance(identifier));
  if (seen && BROKEN_STATUS.test(seen.status))
    throw permanent(`The database server came into the state ${seen.status}`);
  if (seen?.status !== "available" || seen.isPasswordChanging || !seen.address) {
    const reason = `the database server to be available: it is ${seen?.status ?? "not there yet"}`;
    throw poll(reason, { ...SLOW_POLL, watched: scope.watch(dbInstance, identifier, seen ? watchedState(seen) : "") });
  }
  return seen;
}

/** Passes once a cluster can be used. */
export async function requireAvailableCluster(scope: CloudScope<Aws>, identifier: string): Promise<void> {
  const state = await scope.call(describeDbCluster(identifier));
  if (state !== "available") {
    const reason = `the database cluster to be available: it is ${state ?? "not there yet"}`;
    throw poll(reason, { ...SLOW_POLL, watched: scope.watch(dbCluster, identifier, state ?? "") });
  }
}

/** Passes once an instance is no longer there. */
export async function requireDeletedInstance(scope: CloudScope<Aws>, identifier: string): Promise<void> {
  const seen = await scope.call(describeDbInstance(identifier));
  if (!seen) return;
  const watched = scope.watch(dbInstance, identifier, watchedState(seen));
  throw poll("the database server to be gone", { ...SLOW_POLL, watched });
}

/** What a server's record takes over from RDS. */
export function observedColumns(identifier: string, engine: string, seen: DbInstanceState) {
  return {
    provisionedId: identifier,
    provisionerId: seen.resourceId,
    endpoint: endpointOf(engine, seen),
    storageEncrypted: seen.isEncrypted,
    multiAz: seen.multiAz,
    ...(seen.zone && { location: seen.zone }),
    ...(seen.storageGb !== undefined && { storageGb: seen.storageGb }),
    ...(seen.storageType && { storageType: seen.storageType }),
    ...(seen.backupRetentionDays && { backupRetentionPeriod: seen.backupRetentionDays }),
    ...(seen.backupWindow && { backupWindow: asJson(backupWindowOf(seen.backupWindow)) }),
    ...(seen.maintenanceWindow && { maintenanceWindow: asJson(maintenanceWindowOf(seen.maintenanceWindow)) }),
  };
}

// An interface has no index signature, which Prisma's JSON type asks for.
function asJson(value: object): Prisma.InputJsonObject {
  return { ...value } as Prisma.InputJsonObject;
}
