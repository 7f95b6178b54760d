import { type Db, Prisma } from "@gantry/db";

const BATCH = 5000;

/**
 * Removes events that are older than `days`. Readers learn first what is no longer kept, so that none mistakes a gap
 * for a complete stream. An alert is raised on each webhook for which a removed event still waited. Does nothing while
 * another worker removes events.
 *
 * @param batch the greatest number of events in one statement
 */
export async function removeOldEvents(db: Db, days: number, batch = BATCH): Promise<void> {
  const isOld = Prisma.sql`created_at < now() - make_interval(days => ${days}::int)`;
  // The worker that holds the lock of the clock's row removes the events.
  const clock = Prisma.sql`clock AS MATERIALIZED (SELECT kept_from FROM event_clocks FOR NO KEY UPDATE SKIP LOCKED)`;
  await db.$executeRaw`
    WITH ${clock}
    UPDATE event_clocks SET kept_from = old.position + 1
    FROM clock, LATERAL (SELECT max(position) AS position FROM events WHERE ${isOld}) old
    WHERE old.position >= event_clocks.kept_from`;
  await inBatches(batch, async () => {
    const [removed] = await db.$queryRaw<[{ count: number }]>`
      WITH ${clock},
      removed AS (
        DELETE FROM events WHERE ctid = ANY (ARRAY(
          SELECT e.ctid FROM clock, LATERAL (SELECT ctid, position FROM events WHERE ${isOld}) e
          WHERE e.position < clock.kept_from LIMIT ${batch}))
        RETURNING account_id, position, seq, type),
      alerted AS (${alertsOnWebhooks(days)})
      SELECT count(*)::int AS count FROM removed`;
    return removed.count;
  });
}

/** Inserts an alert on each webhook that had yet to deliver one of the events `removed`, unless it has one. */
function alertsOnWebhooks(days: number): Prisma.Sql {
  const message = `Events that waited for this webhook for more than ${days} days were removed and will never be delivered.`;
  return Prisma.sql`
    INSERT INTO alerts (id, account_id, webhook_id, external_id, name, message, severity, started_at)
    SELECT gen_random_uuid(), w.account_id, w.id, skipped.external_id, 'Webhook skips events', ${message}, 'warning', now()
    FROM webhooks w, LATERAL (SELECT concat('webhooks/', w.id, '/skipped') AS external_id) skipped
    WHERE w.deleted_at IS NULL
      AND EXISTS (SELECT FROM removed r
        WHERE r.account_id = w.account_id AND (r.position, r.seq) > (w.position, w.seq)
          AND (w.events = '{}' OR r.type = ANY (w.events)))
      AND NOT EXISTS (SELECT FROM alerts a
        WHERE a.webhook_id = w.id AND a.external_id = skipped.external_id AND a.finished_at IS NULL)`;
}

/**
 * Removes deliveries that are older than `days` and have ended, or never will because their webhook was removed.
 *
 * @param batch the greatest number of deliveries in one statement
 */
export async function removeOldDeliveries(db: Db, days: number, batch = BATCH): Promise<void> {
  await inBatches(
    batch,
    () => db.$executeRaw`
    DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.created_at < now() - make_interval(days => ${days}::int)
        AND (d.next_attempt_at IS NULL OR w.deleted_at IS NOT NULL)
      LIMIT ${batch} FOR UPDATE OF d SKIP LOCKED))`,
  );
}

async function inBatches(batch: number, remove: () => Promise<number>): Promise<void> {
  while ((await remove()) === batch);
}
