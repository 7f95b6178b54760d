import type { Db } from "@gantry/db";
import { queueCounts, registeredWorkers } from "@gantry/queue";
import { countUnfinished, type UnfinishedCounts } from "@gantry/requests";
import { NEXT_EVENT, requestTypes } from "@gantry/resources";
import { sharedRead } from "@gantry/runtime";
import { type Gauge, installation } from "@gantry/telemetry";
import type { AppContext } from "./http/context.js";

/** The age at which the metrics are read again: several servers may scrape each API. */
const REMEMBERED_MS = 5000;

/**
 * Returns the function that reads the metrics of the whole installation from PostgreSQL and Redis. It never rejects: if
 * one of the two does not answer in time, its metrics are absent. Each of the two has at most one read under way.
 *
 * @param horizonSeconds returns how long events have been held back
 */
export function installationMetrics(
  { db, redis, env }: Pick<AppContext, "db" | "redis" | "env">,
  horizonSeconds: () => Promise<number>,
): () => Promise<void> {
  let latest: { reading: Promise<unknown>; at: number } | undefined;

  const readDatabase = sharedRead(async () => {
    const facts = await Promise.all([countUnfinished(db), readLags(db), horizonSeconds()]);
    return () => showDatabase(...facts);
  });
  const readRedis = sharedRead(async () => {
    if (redis?.status !== "ready") throw new Error("not connected");
    const facts = await Promise.all([queueCounts(redis, env.QUEUE_PREFIX), registeredWorkers(redis, env.QUEUE_PREFIX)]);
    return () => showRedis(...facts);
  });
  return async () => {
    if (!latest || Date.now() - latest.at > REMEMBERED_MS) {
      const reading = Promise.all([
        refresh(installation.databaseUp, DATABASE_GAUGES, readDatabase),
        refresh(installation.redisUp, REDIS_GAUGES, readRedis),
      ]);
      latest = { reading, at: Date.now() };
    }
    await latest.reading;
  };
}

const { databaseUp, redisUp, queueJobs, queuePaused, workers, ...DATABASE } = installation;
const DATABASE_GAUGES: Gauge[] = Object.values(DATABASE) as Gauge[];
const REDIS_GAUGES: Gauge[] = [queueJobs, queuePaused, workers] as Gauge[];

async function refresh(up: Gauge, gauges: Gauge[], read: () => Promise<(() => void) | undefined>): Promise<void> {
  const show = await read();
  up.set(show ? 1 : 0);
  for (const gauge of gauges) {
    gauge.reset();
    // A gauge without labels is reset to 0, which is not what an unknown value is.
    gauge.remove({});
  }
  show?.();
}

interface Lags {
  inDoubt: number;
  leaked: number;
  driftAge: number;
  findings: Record<string, number>;
  deliveries: number;
  webhookLag: number;
  auditRecords: number;
  auditLag: number;
}

async function readLags(db: Db): Promise<Lags> {
  const [lags] = await db.$queryRaw<[Lags]>`
    SELECT
      (SELECT count(*) FROM requests r JOIN cloud_objects o ON o.request_id = r.id
        WHERE r.finished_at IS NULL AND o.cloud_id IS NULL AND o.removed_at IS NULL AND o.attempted_at > 'epoch')::int
        AS "inDoubt",
      (SELECT coalesce(sum(jsonb_array_length(leaked_resources)), 0) FROM requests
        WHERE leaked_resources <> '[]'::jsonb)::int AS leaked,
      (SELECT coalesce(extract(epoch FROM now() - min(p.last_scanned_at)), 0)
        FROM drift_regions p JOIN provider_locations l ON l.id = p.id JOIN providers v ON v.id = p.provider_id
        WHERE l.disabled_at IS NULL AND v.cancelled_at IS NULL AND v.deleted_at IS NULL)::float8 AS "driftAge",
      (SELECT coalesce(jsonb_object_agg(finding, count), '{}')
        FROM (SELECT finding, count(*) FROM drifts GROUP BY finding) findings) AS findings,
      hooks.deliveries, hooks.lag AS "webhookLag", audit.count AS "auditRecords", audit.lag AS "auditLag"
    FROM
      (SELECT coalesce(sum(pending.count), 0)::int AS deliveries,
          coalesce(max(extract(epoch FROM now() - least(pending.due_at, next.created_at))), 0)::float8 AS lag
        FROM webhooks w
          LEFT JOIN LATERAL (SELECT count(*), min(d.next_attempt_at)
              FILTER (WHERE d.next_attempt_at <= now() AND (w.resumes_at IS NULL OR w.resumes_at <= now())) AS due_at
            FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.next_attempt_at IS NOT NULL) pending ON true
          LEFT JOIN LATERAL (${NEXT_EVENT}) next ON (w.resumes_at IS NULL OR w.resumes_at <= now())
        WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL) hooks,
      (SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS lag
        FROM pending_audit_records) audit`;
  return lags;
}

function showDatabase(requests: UnfinishedCounts[], lags: Lags, horizonSeconds: number): void {
  // A missing metric would look like a fault to what scales the workers.
  const nothing = { due: 0, running: 0, waiting: 0 };
  for (const row of [...Object.keys(requestTypes).map((type) => ({ type, ...nothing })), ...requests]) {
    const { type, due, running, waiting } = row;
    installation.requestsDue.set({ type }, due);
    installation.requestsRunning.set({ type }, running);
    installation.requestsWaiting.set({ type }, waiting);
  }
  installation.oldestDue.set(Math.max(0, ...requests.map(({ oldestDueSeconds }) => oldestDueSeconds ?? 0)));
  installation.ledgerInDoubt.set(lags.inDoubt);
  installation.leakedObjects.set(lags.leaked);
  installation.driftScanAge.set(lags.driftAge);
  for (const finding of ["changed", "disappeared", "orphan"])
    installation.driftFindings.set({ finding }, lags.findings[finding] ?? 0);
  installation.eventHorizonAge.set(horizonSeconds);
  installation.deliveriesPending.set(lags.deliveries);
  installation.webhookLag.set(Math.max(0, lags.webhookLag));
  installation.auditPending.set(lags.auditRecords);
  installation.auditLag.set(Math.max(0, lags.auditLag));
}

function showRedis(
  queues: Awaited<ReturnType<typeof queueCounts>>,
  registered: Awaited<ReturnType<typeof registeredWorkers>>,
): void {
  for (const { name: queue, paused, ...states } of queues) {
    queuePaused.set({ queue }, Number(paused));
    for (const [state, count] of Object.entries(states)) queueJobs.set({ queue, state }, count);
  }
  workers.set(registered.length);
}
