import { backupWindowOf, maintenanceWindowOf } from "@gantry/resources";
import type { Aws } from "../../aws/clients.js";
import { dbCluster, describeDbCluster } from "../../aws/rds/db-cluster.js";
import { dbInstance } from "../../aws/rds/db-instance.js";
import { type DbInstanceState, describeDbInstance, endpointOf, watchedState } from "../../aws/rds/instance-state.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { type NotYet, notShown, permanent, poll } from "../../engine/stage-errors.js";

// The states that an instance does not leave on its own.
const BROKEN = /^(failed|incompatible-|inaccessible-|insufficient-capacity|restore-error|storage-full)/;

// The interval of the waiters in AWS's own SDKs.
export const SLOW_POLL = { everySeconds: 30, limitMinutes: 150 };

/**
 * Returns an instance that is available.
 *
 * @throws NotYet while RDS creates or changes it; NotShown if RDS shows none; PermanentFailure if it is broken or stopped
 */
export async function requireAvailableInstance(scope: CloudScope<Aws>, identifier: string): Promise<DbInstanceState> {
  const instance = await scope.call(describeDbInstance(identifier));
  if (!instance) throw notShown(identifier);
  requireRunning(instance);
  if (instance.status !== "available" || instance.isPasswordChanging || !instance.address) {
    const reason = `the database server to become available (now ${instance.status})`;
    throw poll(reason, { ...SLOW_POLL, watched: scope.watch(dbInstance, identifier, watchedState(instance)) });
  }
  return instance;
}

/** True if RDS at most still optimizes the storage of an instance. */
export function isUsable({ status }: DbInstanceState): boolean {
  return status === "available" || status === "storage-optimization";
}

/**
 * Returns an instance that can be used and changed: RDS still optimizes its storage at most.
 *
 * @throws NotYet while RDS changes it; NotShown if RDS shows none; PermanentFailure if it is broken or stopped
 */
export async function requireUsableInstance(scope: CloudScope<Aws>, identifier: string): Promise<DbInstanceState> {
  const instance = await scope.call(describeDbInstance(identifier));
  if (!instance) throw notShown(identifier);
  requireRunning(instance);
  if (instance.isPasswordChanging || !isUsable(instance)) throw untilChanged(scope, identifier, instance);
  return instance;
}

/** The wait for RDS to complete the change of an instance. */
export function untilChanged(scope: CloudScope<Aws>, identifier: string, instance: DbInstanceState): NotYet {
  const watched = scope.watch(dbInstance, identifier, watchedState(instance));
  return poll(`RDS to change the database server (now ${instance.status})`, { ...SLOW_POLL, watched });
}

/** @throws PermanentFailure if the instance is broken or stopped, which it does not leave soon on its own */
function requireRunning(instance: DbInstanceState): void {
  const reason = reasonNotRunning(instance);
  if (reason) throw permanent(reason);
}

/** Why an instance is broken or stopped, which it does not leave soon on its own; undefined if it is neither. */
export function reasonNotRunning({ status }: DbInstanceState): string | undefined {
  if (BROKEN.test(status)) return `The database server entered the state ${status}`;
  return status === "stopped" ? "The database server is stopped" : undefined;
}

/**
 * Returns an instance once it is stopped, or once it is available.
 *
 * @throws NotYet until then; NotShown if RDS shows none; PermanentFailure if it is broken
 */
export async function requireState(
  scope: CloudScope<Aws>,
  identifier: string,
  wanted: "available" | "stopped",
): Promise<DbInstanceState> {
  const instance = await scope.call(describeDbInstance(identifier));
  if (!instance) throw notShown(identifier);
  const { status } = instance;
  if (BROKEN.test(status)) throw permanent(`The database server entered the state ${status}`);
  if (wanted === "stopped" ? status === wanted : isUsable(instance)) return instance;
  const watched = scope.watch(dbInstance, identifier, watchedState(instance));
  throw poll(`the database server to become ${wanted} (now ${status})`, { ...SLOW_POLL, watched });
}

/**
 * Asserts that a cluster is available.
 *
 * @throws NotYet while it is not; NotShown if RDS shows none
 */
export async function requireAvailableCluster(scope: CloudScope<Aws>, identifier: string): Promise<void> {
  const state = await scope.call(describeDbCluster(identifier));
  if (state === undefined) throw notShown(identifier);
  if (state !== "available") {
    const reason = `the database cluster to become available (now ${state})`;
    throw poll(reason, { ...SLOW_POLL, watched: scope.watch(dbCluster, identifier, state) });
  }
}

/**
 * Asserts that an instance is deleted.
 *
 * @throws NotYet while RDS still shows it
 */
export async function requireDeletedInstance(scope: CloudScope<Aws>, identifier: string): Promise<void> {
  const instance = await scope.call(describeDbInstance(identifier));
  if (!instance) return;
  const watched = scope.watch(dbInstance, identifier, watchedState(instance));
  throw poll("AWS to remove the database server", { ...SLOW_POLL, watched });
}

/** The columns of a server's record that repeat what RDS shows. */
export function observedColumns(identifier: string, engine: string, seen: DbInstanceState) {
  return {
    provisionedId: identifier,
    provisionerId: seen.resourceId,
    endpoint: endpointOf(engine, seen),
    storageEncrypted: seen.isEncrypted,
    multiAz: seen.multiAz,
    ...(seen.version && { version: seen.version }),
    ...(seen.zone && { location: seen.zone }),
    ...(seen.storageGb !== undefined && { storageGb: seen.storageGb }),
    ...(seen.storageType && { storageType: seen.storageType }),
    ...(seen.certificateAuthority && { certificateAuthority: seen.certificateAuthority }),
    ...(seen.backupRetentionDays && { backupRetentionPeriod: seen.backupRetentionDays }),
    ...(seen.backupWindow && { backupWindow: backupWindowOf(seen.backupWindow) }),
    ...(seen.maintenanceWindow && { maintenanceWindow: maintenanceWindowOf(seen.maintenanceWindow) }),
  };
}
