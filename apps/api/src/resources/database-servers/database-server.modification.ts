import {
  compareVersions,
  DATABASE_GP3_IOPS,
  DATABASE_STORAGE_TYPES,
  type DatabaseOffers,
  type DatabaseStorageType,
  type EngineVersion,
  exceededDatabaseStorage,
  isAurora,
  MAX_VOLUME_GB,
  rdsEngineName,
} from "@gantry/aws-facts";
import type { DatabaseServer, Tx } from "@gantry/db";
import {
  type ApplyTime,
  backupWindowOf,
  backupWindowText,
  type DatabaseSettings,
  databaseSettings,
  field,
  type InputOf,
  maintenanceMinutes,
  maintenanceWindow,
  maintenanceWindowOf,
  maintenanceWindowText,
  pendingSettings,
  plannedDatabaseChanges,
  windowsOverlap,
} from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import type { Accepting } from "../../http/plans/requested.js";
import { requireChangesLeft } from "../changes-in-a-day.js";
import { findDatabaseOffers } from "../database-engines/database-engine.offers.js";
import { requireFlavor, requireUpgrade } from "../database-engines/database-engine.rules.js";
import { plannedDatabaseServer } from "../database-services/database-server.plan.js";
import {
  assertNoPromotion,
  requireIdleService,
  warningsOfStopped,
} from "../database-services/database-service.rules.js";
import { backupWindowInput } from "../database-services/database-service.windows.js";
import { flavorName } from "../flavor-name.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/** RDS grows storage by a tenth at least: ModifyDBInstance in the RDS API reference, as botocore 1.44.5 has it. */
const LEAST_GROWTH = 1.1;
/** PreferredMaintenanceWindow of ModifyDBInstance in the RDS API reference, read in November 2026. */
const LEAST_MAINTENANCE_MINUTES = 30;

/** What a database server can be given in place. */
export const databaseServerChangesInput = strict({
  flavor: flavorName.optional(),
  version: field(z.string().optional(), "16.4", "A later one; a major version means its default"),
  storage: field(z.int().min(1).max(MAX_VOLUME_GB).optional(), 100, "GB; at least a tenth more than it has"),
  storage_type: z.enum(DATABASE_STORAGE_TYPES).optional(),
  iops: field(
    z.int().min(DATABASE_GP3_IOPS.range[0]).max(DATABASE_GP3_IOPS.range[1]).optional(),
    20_000,
    `Only for gp3 with ${DATABASE_GP3_IOPS.fromGb} GB or more`,
  ),
  multi_az: z.boolean().optional(),
  certificate_authority: field(
    z
      .string()
      .regex(/^rds-ca-[a-z0-9-]{1,50}$/, "must be the id of a CA of RDS, such as rds-ca-rsa2048-g1")
      .optional(),
    "rds-ca-rsa4096-g1",
  ),
  backup_retention_period: field(z.int().min(1).max(35).optional(), 14, "Days"),
  backup_window: backupWindowInput.optional(),
  preferred_maintenance_window: maintenanceWindow.optional(),
});

/** When RDS makes the changes. */
export const applyTime = field(
  z.enum(["now", "window"]).default("now"),
  "window",
  "`now`, or `window`: in the next maintenance window. RDS makes all changes that wait with the next one at once",
);

type Given = z.output<typeof databaseServerChangesInput>;
type Changes = InputOf<"modify_database_server">;

/** A database server, and how it changes. */
interface DatabaseServerChange {
  server: DatabaseServer;
  /** What the caller changes. */
  given: DatabaseSettings;
  /** The same, and at once also what waits for the maintenance window: RDS makes it together. */
  input: Changes;
  /** The version that it has, or is to get. */
  version: Partial<EngineVersion>;
}

/**
 * A database server, locked until the transaction ends, and what changes of it.
 *
 * @throws 409 if it cannot be changed now, 422 if RDS could not make the change or nothing would change
 */
async function findDatabaseServerChange(
  caller: Caller,
  db: Tx,
  id: string,
  wanted: Given,
  apply: ApplyTime,
): Promise<DatabaseServerChange> {
  const { databaseServiceId } = await caller.find("databaseServer", id);
  const service = await caller.find("databaseService", databaseServiceId, "update");
  const server = await caller.find("databaseServer", id, "update");
  requireProvisioned("database_server", server);
  await requireIdleService(db, service);
  await assertNoUnfinishedRequest(["deprovision_database_service"], db, "database_service", service.id);
  const waiting = pendingSettings(server);
  const { offers } = await findDatabaseOffers(db, server);
  const version = findVersion(offers, server, wanted.version);
  const given = namedChanges(server, waiting, { ...wanted, version }, apply);
  const input: Changes = apply === "now" ? { ...waiting, ...given } : { ...given, apply };
  await requireAllowedChanges(db, server, input, offers);
  return { server, given, input, version: offeredVersion(offers, server, input) };
}

/** Accepts a change of a database server. @throws as `findDatabaseServerChange` */
export async function modifyDatabaseServer(
  { caller, db, createRequest }: Accepting,
  id: string,
  wanted: Given,
  apply: ApplyTime,
) {
  const { server, given, input, version } = await findDatabaseServerChange(caller, db, id, wanted, apply);
  return createRequest("modify_database_server", {
    accountId: server.accountId,
    resource: { type: "database_server", id: server.id },
    input,
    warnings: warningsOfStopped(server),
    changes: () => ({
      changes: plannedDatabaseChanges(server, given, apply, version),
      before: plannedDatabaseServer(server),
      after: plannedDatabaseServer({ ...server, ...pendingSettings(server), ...given }),
    }),
  });
}

/** The version that a name stands for. @throws 422 that lists the versions to which RDS upgrades the server */
function findVersion(offers: DatabaseOffers, server: DatabaseServer, wanted: string | undefined): string | undefined {
  const { engine, version } = server;
  if (wanted === undefined || wanted === version || isAurora(engine)) return wanted;
  return requireUpgrade(offers, server, wanted).version;
}

/** @throws 422 if nothing would change, or a change that waits would be taken back in the maintenance window */
function namedChanges(
  server: DatabaseServer,
  waiting: DatabaseSettings,
  wanted: Omit<Given, "version"> & { version: string | undefined },
  apply: ApplyTime,
): DatabaseSettings {
  const { backup_window: backup, preferred_maintenance_window: maintenance } = wanted;
  const present = databaseSettings(server);
  const columns = {
    flavor: wanted.flavor,
    version: wanted.version,
    storageGb: wanted.storage,
    storageType: wanted.storage_type,
    iops: wanted.iops,
    multiAz: wanted.multi_az,
    certificateAuthority: wanted.certificate_authority,
    backupRetentionPeriod: wanted.backup_retention_period,
    backupWindow: backup && backupWindowText({ start: backup.start_time, duration: String(backup.duration) }),
    maintenanceWindow: maintenance && maintenanceWindowText(maintenance),
  };
  const isChanged = (name: keyof DatabaseSettings, value: unknown) =>
    apply === "now" ? value !== present[name] || name in waiting : value !== (waiting[name] ?? present[name]);
  const changes = Object.entries(columns).filter(
    ([name, value]) => value !== undefined && isChanged(name as keyof DatabaseSettings, value),
  );
  if (changes.length === 0) throw invalid("database_server", "names no change: it has these values already");
  const takenBack = changes.some(([name, value]) => value === present[name as keyof DatabaseSettings]);
  if (apply === "window" && takenBack)
    throw invalid("apply", "must be now to take back a change that waits for the maintenance window");
  return Object.fromEntries(changes);
}

/**
 * Call it with the rows of the server and its service locked. What the server has already is no change.
 *
 * @throws 409 if RDS would refuse the changes now, 422 if it refuses them at any time
 */
export async function requireAllowedChanges(
  db: Tx,
  server: DatabaseServer,
  input: Changes,
  offers: DatabaseOffers,
): Promise<void> {
  const { id, engine, location: zone, replicationSourceId } = server;
  await assertNoUnfinishedRequest(["modify_database_server", "update_database_server"], db, "database_server", id);
  await assertNoPromotion(db, server);
  const { apply, ...wanted } = input;
  const present = databaseSettings(server);
  const changes: DatabaseSettings = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== present[name as keyof DatabaseSettings]),
  );
  const path = (name: string) => `database_server.${name}`;
  const { flavor, multiAz, storageGb, storageType } = { ...server, ...pendingSettings(server), ...wanted };
  if (isAurora(engine)) requireOfMember(engine, changes);
  for (const [name, value] of [
    ["backup_retention_period", changes.backupRetentionPeriod],
    ["backup_window", changes.backupWindow],
  ] as const)
    if (replicationSourceId !== null && value !== undefined)
      throw invalid(path(name), `is the master's; change database server ${replicationSourceId}`);
  requireSeparateWindows(present, changes);
  const offer = requireFlavor(offers, engine, multiAz ? { flavor } : { flavor, zone });
  if (typeof changes.certificateAuthority === "string")
    requireAuthority(offeredVersion(offers, server, changes), changes.certificateAuthority);
  if (isAurora(engine)) return;
  if (changes.version !== undefined)
    await requireUpgradeOrder(db, server, requireUpgrade(offers, server, changes.version));
  if (!offer.storageTypes.includes(storageType)) {
    const name = changes.storageType === undefined ? "flavor" : "storage_type";
    const known = `use one of ${offer.storageTypes.join(", ")}`;
    throw invalid(path(name), `${flavor} does not support storage of type ${storageType}; ${known}`);
  }
  if (changes.storageGb !== undefined) requireGrowth(server, changes.storageGb);
  const exceeded = isKnownType(storageType) && exceededDatabaseStorage(storageType, storageGb);
  if (exceeded) throw invalid(path("storage"), exceeded);
  if (changes.iops !== undefined && (storageType !== "gp3" || storageGb < DATABASE_GP3_IOPS.fromGb))
    throw invalid(path("iops"), `are chosen only for gp3 with ${DATABASE_GP3_IOPS.fromGb} GB or more`);
  // In the maintenance window, RDS makes the change when it can.
  if (apply === "window" || !isOfStorage(changes)) return;
  const change = {
    request: "modify_database_server",
    type: "database_server",
    id,
    what: "a database's storage",
  } as const;
  await requireChangesLeft(
    db,
    change,
    (input) => isOfStorage(input) && !("apply" in input && input.apply === "window"),
  );
}

/** What AWS offers of the version that a server has, or is to get. */
function offeredVersion(
  offers: DatabaseOffers,
  { engine, version: present }: DatabaseServer,
  { version = present }: DatabaseSettings,
): Partial<EngineVersion> {
  return offers[rdsEngineName(engine)]?.versions.find((each) => each.version === version) ?? {};
}

/** @throws 422 that lists the CAs of the version, if Gantry knows them */
function requireAuthority({ certificateAuthorities: known = [] }: Partial<EngineVersion>, wanted: string): void {
  if (known.length === 0 || known.includes(wanted)) return;
  throw invalid("database_server.certificate_authority", `is not a CA of its version; use one of ${known.join(", ")}`);
}

/**
 * RDS upgrades replicas before their master, except to another major version of PostgreSQL, which it gives to all of them with the
 * master: "Upgrades of the RDS for PostgreSQL DB engine" and the same for MySQL in the RDS user guide, read in November 2026.
 *
 * @throws 409 that names the replicas that must be upgraded or removed first, 422 for a replica that only its master upgrades
 */
async function requireUpgradeOrder(
  db: Tx,
  { id, engine, replicationSourceId }: DatabaseServer,
  { version, isMajor }: { version: string; isMajor: boolean },
): Promise<void> {
  const path = "database_server.version";
  const isShared = isMajor && engine === "postgres";
  if (replicationSourceId !== null) {
    if (!isShared) return;
    throw invalid(path, "is of another major version, to which RDS upgrades no replica of PostgreSQL");
  }
  const replicas = await db.databaseServer.findMany({ where: { replicationSourceId: id, deletedAt: null } });
  const blocking = replicas.filter((replica) => isShared || compareVersions(replica.version, version) < 0);
  if (blocking.length === 0) return;
  const names = blocking.map((replica) => replica.id).join(", ");
  const why = isShared
    ? `RDS would upgrade its replicas with it; remove them first: ${names}`
    : `RDS upgrades replicas before their master; upgrade these first: ${names}`;
  throw conflict(`database server ${id} cannot get version ${version} yet: ${why}`, {
    path,
    blocking: blocking.map((replica) => `database-servers/${replica.id}`),
  });
}

/** @throws 422 for a maintenance window that is too short, or has a minute in common with the backup window */
function requireSeparateWindows(present: Required<DatabaseSettings>, changes: DatabaseSettings): void {
  if (changes.backupWindow === undefined && changes.maintenanceWindow === undefined) return;
  const { backupWindow, maintenanceWindow } = { ...present, ...changes };
  const maintenance = maintenanceWindowOf(maintenanceWindow);
  if (maintenanceMinutes(maintenance) < LEAST_MAINTENANCE_MINUTES)
    throw invalid(
      "database_server.preferred_maintenance_window",
      `must be at least ${LEAST_MAINTENANCE_MINUTES} minutes`,
    );
  if (!windowsOverlap(backupWindowOf(backupWindow), maintenance)) return;
  if (changes.maintenanceWindow !== undefined)
    throw invalid("database_server.preferred_maintenance_window", `overlaps the backup window ${backupWindow}`);
  throw invalid("database_server.backup_window", `overlaps the maintenance window ${maintenanceWindow}`);
}

function isOfStorage(changes: object): boolean {
  return ["storageGb", "storageType", "iops"].some((name) => name in changes);
}

/** False for a type that new databases do not get, and others may have given this one. */
function isKnownType(type: string): type is DatabaseStorageType {
  return (DATABASE_STORAGE_TYPES as readonly string[]).includes(type);
}

/** @throws 422 for what a member of an Aurora cluster does not have of its own */
function requireOfMember(engine: string, changes: Changes): void {
  const own: Record<string, string> = {
    version: "version",
    storageGb: "storage",
    storageType: "storage_type",
    iops: "iops",
    multiAz: "multi_az",
    backupRetentionPeriod: "backup_retention_period",
    backupWindow: "backup_window",
  };
  const other = Object.keys(changes).find((name) => name in own);
  if (other) throw invalid(`database_server.${own[other]}`, `is not changed for ${engine}, whose cluster has it`);
}

/** @throws 422 if RDS does not grow storage so */
function requireGrowth({ storageGb: now }: DatabaseServer, wanted: number): void {
  const least = Math.ceil(now * LEAST_GROWTH);
  if (wanted < now)
    throw invalid("database_server.storage", `must be more than the ${now} GB that it has; RDS never shrinks storage`);
  if (wanted < least)
    throw invalid("database_server.storage", `must be at least ${least} GB, a tenth more than it has`);
}
