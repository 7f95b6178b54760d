import type { Db } from "@gantry/db";

/** What a reader has read of an account's events. */
export interface FollowedEvents {
  accountId: string;
  ids: readonly string[];
}

/** What happened without an event, or has an event and did not happen, or reached a reader out of order. */
export async function unreported(db: Db, followed: readonly FollowedEvents[]): Promise<string[]> {
  const found = [...(await differingRequests(db)), ...(await differingMessages(db)), ...(await differingRecords(db))];
  for (const { accountId, ids } of followed) found.push(...(await misread(db, accountId, ids)));
  return found;
}

const RECORDED = ["accepted", "started", "stage", "cancelling", "rolling_back", "finished", "failed", "cancelled"].map(
  (each) => `request.${each}`,
);

// A cancel may come at any time: both lists name it last.
/** Requests whose acceptance, stages, cancel, rollback and end do not have one event each, or not in order. */
async function differingRequests(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string; type: string; happened: string[]; recorded: string[] }[]>`
    SELECT r.id, r.type, happened.steps AS happened, recorded.steps AS recorded
    FROM requests r,
      LATERAL (SELECT array_agg(step ORDER BY place, position) AS steps FROM (
        SELECT 'accepted' AS step, 0 AS place, 0 AS position
        UNION ALL SELECT 'started', 1, 0 WHERE r.started_at IS NOT NULL
        UNION ALL SELECT 'stage ' || name, 2, s.position FROM request_stages s WHERE request_id = r.id
        UNION ALL SELECT 'cancelling', 6, 0 WHERE r.cancel_requested_at IS NOT NULL
        UNION ALL SELECT 'rolling_back', 4, 0 WHERE r.rolling_back_since IS NOT NULL
        UNION ALL SELECT CASE WHEN r.successful THEN 'finished' WHEN r.cancel_requested_at IS NOT NULL THEN 'cancelled'
          ELSE 'failed' END, 5, 0 WHERE r.finished_at IS NOT NULL) steps) happened,
      LATERAL (SELECT coalesce(array_agg(CASE type WHEN 'request.stage' THEN 'stage ' || (record ->> 'stage')
          ELSE substr(type, 9) END ORDER BY type = 'request.cancelling', position, seq), '{}') AS steps
        FROM events WHERE request_id = r.id AND type = ANY(${RECORDED})
          AND (type <> 'request.stage' OR record ->> 'stage' IS NOT NULL)) recorded
    WHERE happened.steps <> recorded.steps`;
  return rows.map(
    ({ id, type, happened, recorded }) => `${type} ${id}: ${happened.join(", ")}; recorded: ${recorded.join(", ")}`,
  );
}

async function differingMessages(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string; happened: string[]; recorded: string[] }[]>`
    SELECT r.id, happened.messages AS happened, recorded.messages AS recorded
    FROM requests r,
      LATERAL (SELECT coalesce(array_agg(message ORDER BY message), '{}') AS messages FROM request_messages
        WHERE request_id = r.id) happened,
      LATERAL (SELECT coalesce(array_agg(message ORDER BY message), '{}') AS messages FROM events
        WHERE request_id = r.id AND type = 'request.message') recorded
    WHERE happened.messages <> recorded.messages`;
  return rows.map(
    ({ id, happened, recorded }) => `messages of ${id}: ${happened.join(", ")}; recorded: ${recorded.join(", ")}`,
  );
}

/** Records that were not created once, or whose creations, restorations and deletions do not add up to what exists. */
async function differingRecords(db: Db): Promise<string[]> {
  const tables = await db.$queryRaw<{ table: string; type: string }[]>`
    SELECT tgrelid::regclass::text AS "table", split_part(encode(tgargs, 'escape'), '\\000', 1) AS type
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname = 'record_event_of_change'`;
  const found: string[] = [];
  for (const { table, type } of tables) {
    const rows = await db.$queryRawUnsafe<
      { id: string; isDeleted: boolean; created: number; restored: number; deleted: number }[]
    >(
      `SELECT t.id::text AS id, t.deleted_at IS NOT NULL AS "isDeleted", recorded.created, recorded.restored, recorded.deleted FROM ${table} t,
         LATERAL (SELECT count(*) FILTER (WHERE type = 'resource.created')::int AS created,
           count(*) FILTER (WHERE type = 'resource.restored')::int AS restored,
           count(*) FILTER (WHERE type = 'resource.deleted')::int AS deleted
           FROM events WHERE account_id = t.account_id AND subject_type = $1 AND subject_id = t.id::text) recorded
       WHERE recorded.created <> 1 OR recorded.created + recorded.restored - recorded.deleted <> (t.deleted_at IS NULL)::int`,
      type,
    );
    for (const { id, isDeleted, created, restored, deleted } of rows)
      found.push(
        `${type} ${id}${isDeleted ? ", deleted" : ""}: created ${created}×, restored ${restored}×, deleted ${deleted}× in the events`,
      );
  }
  return found;
}

async function misread(db: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.event.findMany({
    where: { accountId },
    orderBy: [{ position: "asc" }, { seq: "asc" }],
    select: { position: true, seq: true },
  });
  const written = rows.map(({ position, seq }) => `${position}-${seq}`);
  const first = written.findIndex((id, i) => id !== ids[i]);
  if (first === -1 && written.length === ids.length) return [];
  const place = first === -1 ? written.length : first;
  return [
    `a reader read ${ids.length} of ${written.length} events; the ${place + 1}. was ${ids[place]}, not ${written[place]}`,
  ];
}
