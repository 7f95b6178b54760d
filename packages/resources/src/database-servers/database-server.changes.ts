import type { EngineVersion } from "@gantry/aws-facts";
import type { DatabaseServer, Row } from "@gantry/db";
import { type PlannedChange, plannedChanges, type ValueChange } from "../declarations/changes.js";
import {
  type BackupWindow,
  backupWindowOf,
  backupWindowText,
  type MaintenanceWindow,
  maintenanceWindowOf,
  maintenanceWindowText,
} from "./windows.js";

const AVAILABLE = "The database stays available";

interface DatabaseServerChange extends ValueChange {
  readonly column: keyof Row<"databaseServer">;
  /** True if RDS never lets the change wait for the maintenance window. */
  readonly atOnce?: true;
  /** What happens instead, without a restart, for a version with this feature. */
  readonly withFeature?: { readonly name: VersionFeature; readonly effect: string };
}

type VersionFeature = "changesCertificateRunning";

/** What a version of an engine can do. */
type DatabaseVersion = Pick<EngineVersion, VersionFeature>;

/**
 * What RDS changes of a database server. Which changes interrupt it, and which of them wait for the maintenance window:
 * "Settings for DB instances" in the RDS user guide and ModifyDBInstance in the RDS API reference, read in November 2026. Neither
 * gives times, so these are ranges of what users report.
 */
export const databaseServerChanges = {
  flavor: {
    column: "flavor",
    effect: "The database restarts; with multi-AZ it fails over to the other zone, which is shorter.",
    awaySeconds: [60, 900],
    undo: "Change the flavor back, with another restart.",
  },
  version: {
    column: "version",
    effect:
      "The database restarts, with multi-AZ too. For another major version RDS first checks the data, and with backups takes a snapshot before and after.",
    awaySeconds: [60, 3600],
    undo: "RDS never returns to an earlier version; restore a snapshot.",
  },
  storage: {
    column: "storageGb",
    effect: `${AVAILABLE}; RDS optimizes the storage in the background.`,
    undo: "RDS never shrinks storage.",
  },
  storage_type: {
    column: "storageType",
    effect: `${AVAILABLE}, slower while RDS moves the storage, which takes minutes to hours.`,
    undo: "Change the type back.",
  },
  iops: {
    column: "iops",
    effect: `${AVAILABLE}; its storage gets the speed once RDS has changed it.`,
    undo: "Change the IOPS back.",
  },
  multi_az: {
    column: "multiAz",
    effect: `${AVAILABLE}; RDS adds or removes the copy in another zone.`,
    undo: "Change it back.",
  },
  certificate_authority: {
    column: "certificateAuthority",
    effect:
      "The database restarts with a certificate of the new CA, which its clients must trust; `tls_bundle` of its connection has all CAs.",
    awaySeconds: [10, 120],
    withFeature: {
      name: "changesCertificateRunning",
      effect: `${AVAILABLE}, with a certificate of the new CA, which its clients must trust; \`tls_bundle\` of its connection has all CAs.`,
    },
    undo: "Change the CA back.",
  },
  backup_retention_period: {
    column: "backupRetentionPeriod",
    effect: `${AVAILABLE}. RDS removes backups that are older than the new period.`,
    undo: "Change the period back; removed backups stay removed.",
    atOnce: true,
  },
  backup_window: {
    column: "backupWindow",
    effect: `${AVAILABLE}.`,
    undo: "Change it back.",
    atOnce: true,
  },
  preferred_maintenance_window: {
    column: "maintenanceWindow",
    effect: `${AVAILABLE}, but for a window that has begun already: RDS then makes what waits for it.`,
    undo: "Change it back.",
    atOnce: true,
  },
} as const satisfies Readonly<Record<string, DatabaseServerChange>>;

type Column = (typeof databaseServerChanges)[keyof typeof databaseServerChanges]["column"];

type Window = "backupWindow" | "maintenanceWindow";

/** Values of a database server that change in place, by their columns; the windows in RDS's form. */
export type DatabaseSettings = Partial<Pick<DatabaseServer, Exclude<Column, Window>> & Record<Window, string>>;

/** All settings of a record. */
export function databaseSettings(server: DatabaseServer): Required<DatabaseSettings> {
  const { flavor, version, storageGb, storageType, iops, multiAz, backupRetentionPeriod, certificateAuthority } =
    server;
  const own = { flavor, version, storageGb, storageType, iops, multiAz };
  const others = { ...own, backupRetentionPeriod, certificateAuthority };
  // The API writes these columns in the record's form.
  const backupWindow = backupWindowText(server.backupWindow as BackupWindow);
  return {
    ...others,
    backupWindow,
    maintenanceWindow: maintenanceWindowText(server.maintenanceWindow as MaintenanceWindow),
  };
}

/** Settings as the columns of a record have them. */
export function databaseColumns({ backupWindow, maintenanceWindow, ...others }: DatabaseSettings) {
  return {
    ...others,
    ...(backupWindow !== undefined && { backupWindow: backupWindowOf(backupWindow) }),
    ...(maintenanceWindow !== undefined && { maintenanceWindow: maintenanceWindowOf(maintenanceWindow) }),
  };
}

/** When RDS makes a change: at once, or in the maintenance window. */
export type ApplyTime = "now" | "window";

const declared: readonly (readonly [name: string, change: DatabaseServerChange])[] =
  Object.entries(databaseServerChanges);

/** The settings that RDS makes at once, also if the others wait for the maintenance window. */
export function settingsAtOnce(settings: DatabaseSettings): DatabaseSettings {
  const atOnce = declared.filter(([, change]) => change.atOnce).map(([, { column }]) => column as string);
  return Object.fromEntries(Object.entries(settings).filter(([column]) => atOnce.includes(column)));
}

/** The settings of a record that wait for the maintenance window. */
export function pendingSettings({ pending }: Pick<DatabaseServer, "pending">): DatabaseSettings {
  const values = (pending ?? {}) as Record<string, unknown>;
  return Object.fromEntries(declared.flatMap(([name, { column }]) => (name in values ? [[column, values[name]]] : [])));
}

/** Settings that wait for the maintenance window as the record shows them; null if there are none. */
export function pendingOf(settings: DatabaseSettings): Record<string, string | number | boolean> | null {
  const values = settings as Record<string, string | number | boolean | undefined>;
  const pending = declared.flatMap(([name, { column, atOnce }]) => {
    const value = values[column];
    return value === undefined || atOnce ? [] : [[name, value] as const];
  });
  return pending.length > 0 ? Object.fromEntries(pending) : null;
}

const TAKEN_BACK = {
  effect: "RDS gives up the change that waits for the maintenance window.",
  undo: "Change it again.",
};
const UNTIL_THEN =
  "Until then, modify it with the present value, at once: RDS then also makes all other changes that wait at once.";

/** A change as a version makes it. */
function changeBy(version: DatabaseVersion, change: DatabaseServerChange): DatabaseServerChange {
  const { withFeature, awaySeconds: _, ...running } = change;
  return withFeature && version[withFeature.name] ? { ...running, effect: withFeature.effect } : change;
}

/**
 * The changes of a database server, together with those that wait for the maintenance window.
 *
 * @param version the one that it has, or is to get
 */
export function plannedDatabaseChanges(
  server: DatabaseServer,
  given: DatabaseSettings,
  apply: ApplyTime,
  version: DatabaseVersion = {},
): PlannedChange[] {
  const settings: Record<string, unknown> = databaseSettings(server);
  const waiting: Record<string, unknown> = pendingSettings(server);
  const wanted: Record<string, unknown> = { ...waiting, ...given };
  return declared.flatMap(([name, usual]) => {
    const change = changeBy(version, usual);
    const { column } = change;
    const isTakenBack = column in given && column in waiting && wanted[column] === settings[column];
    const row = isTakenBack ? { ...settings, [column]: waiting[column] } : settings;
    const shown = isTakenBack ? { column, ...TAKEN_BACK } : inTime(change, column in given);
    return plannedChanges({ [name]: shown }, row, wanted);
  });

  function inTime(change: DatabaseServerChange, isGiven: boolean): DatabaseServerChange {
    const { column, effect, undo, atOnce } = change;
    if (!isGiven && apply === "now")
      return { ...change, effect: `It waits for the maintenance window, and RDS makes it with this change. ${effect}` };
    const former = column in waiting ? ` It replaces the change to ${waiting[column]}, which waits.` : "";
    if (apply === "now") return { ...change, effect: `${effect}${former}` };
    if (atOnce) return { ...change, effect: `RDS makes this change at once, not in the maintenance window. ${effect}` };
    const begin = isGiven ? "Waits for the maintenance window." : "Waits for the maintenance window already.";
    return {
      ...change,
      effect: `${begin} Then: ${effect}${isGiven ? former : ""}`,
      undo: `${UNTIL_THEN} Afterwards: ${undo}`,
    };
  }
}

const ONE_WEEK = 7 * 24 * 60 * 60;

/**
 * How an action changes a database server. The seven days, and 60 to 120 seconds for a failover: "Stopping an Amazon RDS DB
 * instance temporarily" and "Failover process for Amazon RDS" in the RDS user guide, read in November 2026. It gives no time for a
 * reboot: 10 seconds is what AWS's article on connections at a reboot shows. For a start it says "minutes to hours".
 */
const actions = {
  stop: {
    to: "stopped",
    effect: "The database is away until it is started again. RDS starts it by itself after seven days.",
    awaySeconds: [60, ONE_WEEK],
    undo: "Start it.",
  },
  start: {
    to: "available",
    effect: "RDS recovers the database, which takes minutes, or hours if there is much to recover.",
    awaySeconds: [60, 7200],
    undo: "Stop it.",
  },
  reboot: {
    to: "available",
    effect: "The database restarts, which ends its connections.",
    awaySeconds: [10, 120],
    undo: "A reboot leaves nothing to undo.",
  },
  failover: {
    to: "available",
    effect: "The copy in the other zone takes over, which ends the connections.",
    awaySeconds: [60, 120],
    undo: "Reboot it with a failover again.",
  },
} as const;

/** What a start, a stop or a reboot does, and the waiting changes that RDS makes with a reboot: all but those of the storage. */
export function plannedDatabaseAction(server: DatabaseServer, action: keyof typeof actions): PlannedChange[] {
  const { to, effect, awaySeconds, undo } = actions[action];
  const [least, most] = awaySeconds;
  const planned = { field: "state", from: server.state, to, effect, away_seconds: { least, most }, undo };
  if (action === "start" || action === "stop") return [planned];
  const waiting = plannedDatabaseChanges(server, {}, "now");
  return [planned, ...waiting.filter(({ field }) => !field.startsWith("storage"))];
}

/**
 * What a promotion changes of a replica. RDS reboots it, and takes "several minutes or longer": "Promoting a read replica to be a
 * standalone DB instance" in the RDS user guide, read in November 2026. It gives no times, so this is a range.
 */
export function plannedPromotion({ replicationSourceId }: DatabaseServer): PlannedChange {
  return {
    field: "replication_source",
    from: replicationSourceId,
    to: null,
    effect:
      "The replica restarts, and becomes the master of a database with another password and another firewall. It never gets the writes that its source has not sent by then.",
    away_seconds: { least: 60, most: 900 },
    undo: "A promotion cannot be undone; create another replica of the former master.",
  };
}
