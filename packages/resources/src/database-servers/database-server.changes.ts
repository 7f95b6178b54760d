import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const AVAILABLE = "The database stays available";

/**
 * What RDS changes of a database server, at once. Which changes interrupt it: "Settings for DB instances" in the RDS user guide,
 * read in November 2026; the guide gives no times, so these are ranges of what its users report.
 */
export const databaseServerChanges = {
  flavor: {
    column: "flavor",
    effect: "The database restarts; with multi-AZ it fails over to the other zone, which is shorter.",
    awaySeconds: [60, 900],
    undo: "Change the flavor back, with another restart.",
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
  multi_az: {
    column: "multiAz",
    effect: `${AVAILABLE}; RDS adds or removes the copy in another zone.`,
    undo: "Change it back.",
  },
  backup_retention_period: {
    column: "backupRetentionPeriod",
    effect: `${AVAILABLE}. RDS removes backups that are older than the new period.`,
    undo: "Change the period back; removed backups stay removed.",
  },
} as const satisfies ChangesOf<keyof Row<"databaseServer">>;
