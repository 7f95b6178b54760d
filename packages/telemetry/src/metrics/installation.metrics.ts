import { Gauge } from "prom-client";
import { installationRegistry } from "./registries.js";

const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
  new Gauge({ name, help, labelNames, registers: [installationRegistry] });

/** Facts about the installation that hold for all of its processes. Each API exports the same values. */
export const installation = {
  databaseUp: gauge(
    "gantry_database_up",
    "1 if PostgreSQL answered this API, else 0 and no other metric is read from it.",
  ),
  redisUp: gauge("gantry_redis_up", "1 if Redis answered this API, else 0 and no other metric is read from it."),

  requestsDue: gauge(
    "gantry_requests_due",
    "Unfinished Requests that a worker could run now, and that no worker runs.",
    ["type"],
  ),
  requestsRunning: gauge("gantry_requests_running", "Unfinished Requests that a living worker runs.", ["type"]),
  requestsWaiting: gauge(
    "gantry_requests_waiting",
    "All other unfinished Requests: they sleep, or wait for an earlier Request on their resource.",
    ["type"],
  ),
  oldestDue: gauge("gantry_oldest_due_seconds", "How long the oldest due Request has been due; 0 if none is due."),
  ledgerInDoubt: gauge(
    "gantry_ledger_rows_in_doubt",
    "Objects of unfinished Requests whose creation in AWS was announced in the ledger and not confirmed.",
  ),
  leakedObjects: gauge(
    "gantry_leaked_objects",
    "Objects in AWS that failed Requests could not remove. Workers continue to try.",
  ),

  driftScanAge: gauge(
    "gantry_drift_scan_age_seconds",
    "The time since the last complete drift scan, of the region with the oldest one; 0 without a region.",
  ),
  driftFindings: gauge(
    "gantry_drift_findings",
    "Differences between AWS and the records. The label `finding` is `changed`, `disappeared` or `orphan`.",
    ["finding"],
  ),

  eventHorizonAge: gauge(
    "gantry_event_horizon_age_seconds",
    "How long an unfinished transaction has held back all later events; 0 if none does.",
  ),
  deliveriesPending: gauge(
    "gantry_webhook_deliveries_pending",
    "Deliveries of webhooks that have not ended, of webhooks that are enabled.",
  ),
  webhookLag: gauge(
    "gantry_webhook_lag_seconds",
    "How long the next attempt of a pending delivery is overdue, of the one that is the most overdue. Attempts that wait for a receiver to recover do not count.",
  ),
  auditPending: gauge("gantry_audit_records_pending", "Audit records that are not in their chain yet."),
  auditLag: gauge("gantry_audit_lag_seconds", "The age of the oldest audit record that is not in its chain yet."),

  queueJobs: gauge(
    "gantry_queue_jobs",
    "Jobs in Redis. The label `state` is `waiting`, `active`, `delayed`, `failed` or `completed`.",
    ["queue", "state"],
  ),
  queuePaused: gauge("gantry_queue_paused", "1 if the queue is paused, so that no worker takes its jobs.", ["queue"]),
  workers: gauge("gantry_workers", "The workers that registered in Redis within the last minute."),
};
