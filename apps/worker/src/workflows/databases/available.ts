import type { Prisma } from "@gantry/db";
import type { Aws } from "../../aws/clients.js";
import { clusterState, dbCluster } from "../../aws/rds/db-cluster.js";
import { dbInstance } from "../../aws/rds/db-instance.js";
import { type InstanceState, instanceState, watchedState } from "../../aws/rds/instance-state.js";
import { backupWindowOf, maintenanceWindowOf } from "../../aws/rds/windows.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { permanent, poll } from "../../engine/stage-errors.js";

// States that an instance does not leave by itself.
const BROKEN = /^(failed|incompatible-|inaccessible-|insufficient-capacity|restore-error|storage-full)/;

// As often as the waiters of AWS's own SDKs.
const slowly = { everySeconds: 30, limitMinutes: 150 };

/**
 * Passes once an instance can be used, and gives what RDS says of it.
 *
 * @throws NotYet while it is being made or changed; Permanent where it is broken
 */
export async function availableInstance(aws: CloudScope<Aws>, identifier: string): Promise<InstanceState> {
  const seen = await aws.call(instanceState(identifier));
  if (seen && BROKEN.test(seen.status)) throw permanent(`The database server came into the state ${seen.status}`);
  if (seen?.status !== "available" || seen.passwordIsChanging || !seen.address) {
    const reason = `the database server to be available: it is ${seen?.status ?? "not there yet"}`;
    throw poll(reason, { ...slowly, watched: aws.watch(dbInstance, identifier, seen ? watchedState(seen) : "") });
  }
  return seen;
}

/** Passes once a cluster can be used. */
export async function availableCluster(aws: CloudScope<Aws>, identifier: string): Promise<void> {
  const state = await aws.call(clusterState(identifier));
  if (state !== "available") {
    const reason = `the database cluster to be available: it is ${state ?? "not there yet"}`;
    throw poll(reason, { ...slowly, watched: aws.watch(dbCluster, identifier, state ?? "") });
  }
}

/** Passes once an instance is no longer there. */
export async function goneInstance(aws: CloudScope<Aws>, identifier: string): Promise<void> {
  const seen = await aws.call(instanceState(identifier));
  if (!seen) return;
  const watched = aws.watch(dbInstance, identifier, watchedState(seen));
  throw poll("the database server to be gone", { ...slowly, watched });
}

/** Where a server that has an address is reached. */
export function endpointOf(engine: string, { address, port }: Pick<InstanceState, "address" | "port">): string {
  return `${engine === "postgres" ? "postgres" : "mysql"}://${address}:${port}`;
}

/** What a server's record takes over from RDS. */
export function observed(identifier: string, engine: string, seen: InstanceState) {
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
