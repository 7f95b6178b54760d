import type { Db } from "@gantry/db";
import { RUNNABLE } from "@gantry/requests";
import type { ModelType } from "./model.js";
import type { visible } from "./rules.js";

/** The state of the database: the part that the model predicts, and everything else that a command may change. */
export interface Observation {
  view: ReturnType<typeof visible>;
  rows: Record<string, unknown>[];
  rest: unknown;
}

type Row = Record<string, unknown> & { id: string; type: ModelType; fence: number; stage: string | null };
type Flags = Record<"is_due" | "is_live" | "is_runnable" | "successful", boolean>;

/** Reads everything that a command may change. */
export async function readDatabase(db: Db, accountId: string): Promise<Observation> {
  const [state] = await db.$queryRaw<[{ requests: (Row & Flags)[]; record: string; ledger: object; rest: object }]>`
    SELECT (SELECT name FROM accounts WHERE id = ${accountId}::uuid) AS record,
      (SELECT coalesce(jsonb_object_agg(resource_type || '/' || resource_id, cloud_id), '{}') FROM cloud_objects) AS ledger,
      (SELECT jsonb_build_array(jsonb_agg(to_jsonb(s) ORDER BY request_id, name),
        (SELECT jsonb_agg(to_jsonb(c) ORDER BY seq) FROM cloud_objects c),
        (SELECT count(*) FROM request_messages)) FROM request_stages s) AS rest,
      (SELECT coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('is_due', r.finished_at IS NULL AND r.next_run_at <= now(),
        'is_live', coalesce(r.lease_until > now(), false), 'is_runnable', ${RUNNABLE}) ORDER BY r.seq), '[]')
        FROM requests r) AS requests`;
  const { requests, record, ledger, rest } = state;
  const view = { requests: requests.map(viewOf), record, ledger: ledger as Record<string, string | null> };
  return { view, rows: requests, rest };
}

function viewOf(row: Row & Flags): Observation["view"]["requests"][number] {
  return {
    type: row.type,
    fence: row.fence,
    stage: row.stage,
    isStarted: row.started_at !== null,
    isEnded: row.finished_at !== null,
    isSuccessful: row.successful,
    isCancelled: row.cancel_requested_at !== null,
    isRollingBack: row.rolling_back_since !== null,
    isHeld: row.lease_until !== null,
    isLive: row.is_live,
    isDue: row.is_due,
    isRunnable: row.is_runnable,
  };
}
