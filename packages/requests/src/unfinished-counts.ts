import type { Db } from "@gantry/db";
import { RUNNABLE } from "./runnable.js";

/** The unfinished Requests of a type, of all accounts. */
export interface UnfinishedCounts {
  type: string;
  /** Those that could run now, but that no worker has claimed. */
  due: number;
  /** Those that a live worker has claimed. */
  running: number;
  /** All others. */
  waiting: number;
  /** How long the oldest due one has been due; null if none is. */
  oldestDueSeconds: number | null;
  /** How often their workers were lost since the last progress. */
  takeovers: number;
}

/** Counts the unfinished Requests by type. Types without any are absent. */
export function countUnfinished(db: Pick<Db, "$queryRaw">): Promise<UnfinishedCounts[]> {
  return db.$queryRaw<UnfinishedCounts[]>`
    SELECT type, count(*) FILTER (WHERE is_due)::int AS due, count(*) FILTER (WHERE is_running)::int AS running,
      count(*) FILTER (WHERE NOT is_due AND NOT is_running)::int AS waiting,
      extract(epoch FROM now() - min(next_run_at) FILTER (WHERE is_due))::float8 AS "oldestDueSeconds",
      sum(takeovers)::int AS takeovers
    FROM (
      SELECT r.type, r.next_run_at, r.takeovers, coalesce(r.lease_until >= now(), false) AS is_running, (${RUNNABLE}) AS is_due
      FROM requests r WHERE r.finished_at IS NULL) unfinished
    GROUP BY type`;
}
