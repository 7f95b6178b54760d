import { DATABASE_GP3_IOPS, type DatabaseStorageType, isAurora } from "@gantry/aws-facts";
import type { DatabaseServer, DatabaseServerSnapshot, DatabaseService, Tx } from "@gantry/db";
import type { InputOf, Tags } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { instant, strict } from "../../http/input/input.js";
import { uuidOf } from "../../http/input/references.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { requireSameAccount } from "../environments/environment.placement.js";
import { requireProvisioned } from "../provisioned.js";
import { type databaseServiceInput, newServer, newService } from "./database-service.creation.js";
import { findMaster, requireAllowedDatabase, requireIdleService, warningsOfStopped } from "./database-service.rules.js";
import type { Windows } from "./database-service.windows.js";

const { name, notes, tags: serviceTags } = newService.shape;
const { flavor, location, storage, modifiers, tags: serverTags } = newServer.shape;

const SOURCES = ["time", "latest", "database_server_snapshot"] as const;

/** The input of a restore: what it leaves out is as in the source. */
export const restoreInput = strict({
  restore: strict({
    time: instant
      .optional()
      .describe("A time in the backup retention period; RDS can restore it about five minutes later"),
    // Not `z.literal(true)`: generators of clients know no boolean with an enum, and leave the operation out.
    latest: z
      .boolean()
      .refine((value) => value, "must be true")
      .optional()
      .describe("The latest time that RDS can restore"),
    database_server_snapshot: uuidOf("database-server-snapshots").optional(),
  }).check(({ value, issues }) => {
    const given = SOURCES.filter((source) => value[source] !== undefined);
    if (given.length === 1) return;
    const found = given.length === 0 ? "none is given" : `${given.join(" and ")} are given`;
    issues.push({ code: "custom", input: value, message: `must have one of ${SOURCES.join(", ")}; ${found}` });
  }),
  database_service: strict({ name, notes, tags: serviceTags }).prefault({}),
  database_server: strict({
    flavor: flavor.optional(),
    location: location.optional(),
    storage,
    modifiers,
    tags: serverTags,
  }).prefault({}),
}).meta({ example: { restore: { latest: true } } });

type Input = InputOf<"provision_database_service">;

/** The parameters of a new database that is restored, what its source gives it, and the input of its Request. */
export async function restoreOf(
  caller: Caller,
  db: Tx,
  source: DatabaseService,
  { restore, database_service: service, database_server: server }: z.output<typeof restoreInput>,
) {
  const master = await findMaster(db, source);
  const { extended_support: extendedSupport } = server.modifiers ?? {};
  const input: Input = {
    ...(extendedSupport !== undefined && { extendedSupport }),
    ...(restore.database_server_snapshot
      ? { snapshotId: restore.database_server_snapshot }
      : { sourceServerId: master.id, ...(restore.time && { restoreTime: restore.time }) }),
  };
  const { version, leastGb } = await requireRestorable(caller, db, source, input);
  const storageGb = server.storage ?? leastGb;
  if (storageGb < leastGb) throw invalid("database_server.storage", `must be at least the ${leastGb} GB of the source`);
  const storageType = server.modifiers?.storage_type ?? (master.storageType as DatabaseStorageType);
  const environment = source.environmentId ? await caller.find("environment", source.environmentId) : null;
  const wanted: z.output<typeof databaseServiceInput> = {
    provider: source.providerId,
    database_service: {
      ...service,
      service_level: source.serviceLevel,
      email_alert_level: source.emailAlertLevel,
    },
    database_server: {
      ...server,
      engine: source.engine,
      version,
      flavor: server.flavor ?? master.flavor,
      location: server.location ?? master.location,
      storage: storageGb,
      modifiers: {
        multi_az: server.modifiers?.multi_az ?? master.multiAz,
        storage_type: storageType,
      },
      backup_retention_period: master.backupRetentionPeriod,
    },
  };
  const provider = await caller.find("provider", source.providerId);
  const allowed = await requireAllowedDatabase(caller, db, provider, {
    ...wanted.database_server,
    serviceLevel: source.serviceLevel,
    encrypted: master.storageEncrypted,
    networkId: source.networkId,
    // Its snapshots remain after the removal of a database, and then perhaps of its environment.
    environmentId: environment?.deletedAt ? null : source.environmentId,
  });
  const inherited = {
    username: source.username,
    iops: storageType === master.storageType && acceptsIops(storageType, storageGb) ? master.iops : null,
    // Both columns hold the record's shapes.
    windows: { backupWindow: master.backupWindow, maintenanceWindow: master.maintenanceWindow } as unknown as Windows,
    tags: { service: source.tags as Tags, server: master.tags as Tags },
  };
  return { wanted, context: { provider, ...allowed, inherited }, input, warnings: warningsOfSource(master, input) };
}

function acceptsIops(storageType: DatabaseStorageType, storageGb: number): boolean {
  return storageType === "gp3" && storageGb >= DATABASE_GP3_IOPS.fromGb;
}

/**
 * Requires that RDS may be able to restore what the input names: a snapshot of a database, also of one that no longer exists, or a
 * time. What only RDS knows, such as its latest time, the worker asks RDS.
 *
 * @returns the version and the least storage of what is restored
 * @throws 404, 409 or 422 if it surely is not able to, or the database is one of Aurora
 */
export async function requireRestorable(
  caller: Caller,
  db: Tx,
  source: DatabaseService,
  { snapshotId, restoreTime }: Input,
): Promise<{ version: string; leastGb: number }> {
  if (isAurora(source.engine))
    throw invalid("restore", `is not possible for ${source.engine}: Gantry does not restore Aurora clusters`);
  if (snapshotId) {
    const { version, storageGb } = await findSnapshot(caller, db, source, snapshotId);
    return { version, leastGb: storageGb };
  }
  requireLive("databaseService", source);
  await requireIdleService(db, source);
  const master = await findMaster(db, source);
  requireProvisioned("database_server", master);
  if (restoreTime) requirePossibleTime(master, new Date(restoreTime));
  return { version: master.version, leastGb: master.storageGb };
}

async function findSnapshot(
  caller: Caller,
  db: Tx,
  { id, name, accountId }: DatabaseService,
  snapshotId: string,
): Promise<DatabaseServerSnapshot> {
  const snapshot = await caller.findLive("databaseServerSnapshot", snapshotId, "share");
  const path = "restore.database_server_snapshot";
  requireSameAccount(snapshot, { accountId }, path);
  const { databaseServiceId } = await db.databaseServer.findUniqueOrThrow({ where: { id: snapshot.databaseServerId } });
  if (databaseServiceId !== id)
    throw invalid(path, `is not a snapshot of ${name}, but of database service ${databaseServiceId}; restore that one`);
  if (snapshot.state !== "available") {
    const blocking = [`database-server-snapshots/${snapshotId}`];
    throw conflict(`snapshot ${snapshotId} is ${snapshot.state}, not available`, { path, blocking });
  }
  requireProvisioned("database_server_snapshot", snapshot);
  return snapshot;
}

const DAY_MS = 24 * 60 * 60_000;
const PATH = "restore.time";

/** RDS keeps backups for the retention period or a little longer, and has none from before a server's creation. */
function requirePossibleTime({ createdAt, backupRetentionPeriod: days }: DatabaseServer, time: Date): void {
  if (time > new Date()) throw invalid(PATH, "is in the future; choose an earlier time, or `latest`");
  if (time < createdAt)
    throw invalid(PATH, `is before the database was created; choose a time after ${createdAt.toISOString()}`);
  const earliest = new Date(Date.now() - (days + 1) * DAY_MS);
  if (time < earliest)
    throw invalid(PATH, `is before the backup retention period of ${days} days; choose a later time, or a snapshot`);
}

function warningsOfSource(master: DatabaseServer, { snapshotId }: Input): string[] {
  return snapshotId ? [] : warningsOfStopped(master);
}
