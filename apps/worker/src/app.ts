import { createRequire } from "node:module";
import { hostname } from "node:os";
import { connectDb, poolUse, Vault, waitForInstallationKeys } from "@gantry/db";
import { connectRedis, JobQueues, registerWorker } from "@gantry/queue";
import { type Env, type Log, OutageLog } from "@gantry/runtime";
import {
  processInfo,
  processRegistry,
  serveMetrics,
  showConnections,
  takeovers,
  workerRegistry,
  workerSlots,
} from "@gantry/telemetry";
import { startAuditLinker } from "./audit/audit-linker.js";
import { REDIS_TIMEOUT_SECONDS, TokenBuckets } from "./aws/rate-limit/token-buckets.js";
import { awsEngine } from "./aws-engine.js";
import { startDriftScanner } from "./drift/scanner.js";
import { AccountSlots } from "./engine/account-slots.js";
import { startLeakRetries } from "./engine/leaks.js";
import { startWorker } from "./engine/worker.js";
import { startEventRetention } from "./events/event-retention.js";
import { startGroupMembershipEnds } from "./memberships/group-memberships.js";
import { workerReadiness } from "./readiness.js";
import { startRetention } from "./retention/retention.js";
import { WebhookDeliverer } from "./webhooks/webhook-deliverer.js";
import { startWebhookQueue } from "./webhooks/webhook-queue.js";
import { WebhookSender } from "./webhooks/webhook-sender.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/**
 * Starts a worker. It runs Requests and tries again to remove what they left behind. It scans for drift, delivers webhooks
 * and links audit records. It removes old events and ended Requests, and ends memberships from groups after a time
 * without a sign-in.
 *
 * @returns a function that releases the Requests under way, stops the worker and closes its connections
 */
export async function startApp(env: Env, log: Log): Promise<() => Promise<void>> {
  const db = connectDb(env.DATABASE_URL, env.DATABASE_POOL_SIZE);
  const keys = await waitForInstallationKeys(db, env.MASTER_KEY, new OutageLog(log, "read of the installation keys"));
  const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, log);
  const redis = connectRedis(env.REDIS_URL);
  redis.on("error", () => {});

  const fastRedis = connectRedis(env.REDIS_URL, { answerSeconds: REDIS_TIMEOUT_SECONDS });
  fastRedis.on("error", () => {});
  const share = env.AWS_RATE_SHARE;
  const tokens = share === undefined ? undefined : new TokenBuckets(fastRedis, env.QUEUE_PREFIX, share);

  let isStopping = false;
  const engine = awsEngine(env, { db, jobs, log, keys, tokens, isStopping: () => isStopping });
  // A counter that begins with its first event hides that event from Prometheus.
  for (const type of engine.workflows.keys()) takeovers.inc({ type }, 0);
  const { WORKER_CONCURRENCY: concurrency } = env;
  const slots = new AccountSlots(concurrency);
  const stopWorker = startWorker(engine, {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency,
    slots,
    sweepSeconds: env.SWEEP_SECONDS,
    kept: {
      completed: { age: env.COMPLETED_JOBS_SECONDS, count: env.COMPLETED_JOBS },
      failed: { age: env.FAILED_JOBS_SECONDS, count: env.FAILED_JOBS },
    },
  });
  const drift = { periodSeconds: env.DRIFT_SECONDS, calls: env.DRIFT_CALLS, quietSeconds: env.DRIFT_QUIET_SECONDS };
  const stopDriftScanner = env.DRIFT_SECONDS > 0 ? startDriftScanner(engine, drift) : async () => {};
  const stopAuditLinker = startAuditLinker(db, log, env.AUDIT_HEADS_FILE);
  const stopEventRetention = startEventRetention(db, log, env.EVENT_RETENTION_DAYS);
  const { REQUEST_RETENTION_DAYS: days } = env;
  const stopRetention = days > 0 ? startRetention(db, log, days) : async () => {};
  const stopGroupMembershipEnds = startGroupMembershipEnds(db, log, env.OIDC_MEMBERSHIP_DAYS);
  const stopLeakRetries = startLeakRetries(db, jobs, log);
  const sender = new WebhookSender(env.WEBHOOK_PRIVATE_ADDRESSES);
  const vault = new Vault(env.MASTER_KEY);
  const deliverer = new WebhookDeliverer({ db, vault, sender, log, isStopping: () => isStopping });
  const stopWebhooks = startWebhookQueue(deliverer, {
    redisUrl: env.REDIS_URL,
    prefix: env.QUEUE_PREFIX,
    log,
    sweepSeconds: env.SWEEP_SECONDS,
  });
  const facts = { host: hostname(), pid: process.pid, version, concurrency };
  const stopMetrics = await serveMetrics(
    env,
    {
      registries: [processRegistry, workerRegistry],
      readiness: workerReadiness({ db, redis, isStopping: () => isStopping }),
      refresh: () => {
        showConnections(poolUse(db));
        workerSlots.set({ state: "used" }, slots.inUse);
        workerSlots.set({ state: "free" }, concurrency - slots.inUse);
      },
    },
    log,
  );
  processInfo.set({ app: "worker", version }, 1);
  const removeRegistration = registerWorker(fastRedis, { prefix: env.QUEUE_PREFIX, log }, () => ({
    ...facts,
    in_use: slots.inUse,
  }));
  log.info({ workflows: engine.workflows.size, concurrency }, "worker ready");

  return async () => {
    isStopping = true;
    await Promise.all([
      stopWorker(),
      stopDriftScanner(),
      stopAuditLinker(),
      stopEventRetention(),
      stopRetention(),
      stopGroupMembershipEnds(),
      stopLeakRetries(),
      stopWebhooks(),
    ]);
    await removeRegistration();
    await stopMetrics();
    sender.close();
    await jobs.close();
    fastRedis.disconnect();
    redis.disconnect();
    await db.$disconnect();
  };
}
