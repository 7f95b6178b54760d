import type { Db } from "@gantry/db";
import { daysAgo } from "./old-requests.js";

/**
 * Removes up to `size` alerts that finished before the retention.
 *
 * @returns their number
 */
export function removeOldAlerts(db: Pick<Db, "$executeRaw">, days: number, size: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM alerts WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM alerts WHERE finished_at < ${daysAgo(days)} LIMIT ${size}::int FOR UPDATE SKIP LOCKED))`;
}

/**
 * Removes up to `size` findings that are older than the retention in regions that no scan has completed since, such as
 * those of cancelled providers. Scans remove the others.
 *
 * @returns their number
 */
export function removeOldFindings(db: Pick<Db, "$executeRaw">, days: number, size: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM drifts WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM drifts d WHERE d.last_seen_at < ${daysAgo(days)} AND NOT EXISTS (
        SELECT FROM drift_regions p WHERE p.provider_id = d.provider_id AND p.region = d.region
          AND p.last_scanned_at >= ${daysAgo(days)})
      LIMIT ${size}::int FOR UPDATE OF d SKIP LOCKED))`;
}
