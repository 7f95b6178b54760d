import { createRequire } from "node:module";
import { hostname } from "node:os";
import { connectDb, poolUse, waitForInstallationKeys } from "@gantry/db";
import { connectRedis, JobQueues, registerWorker, webhookLookup } from "@gantry/queue";
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
import { REDIS_TIMEOUT_SECONDS, TokenBuckets } from "./aws/rate-limit/token-buckets.js";
import { awsEngine } from "./aws-engine.js";
import { AccountSlots } from "./engine/account-slots.js";
import { workerReadiness } from "./readiness.js";
import { auditLinking } from "./services/audit-linking.js";
import { driftScans } from "./services/drift-scans.js";
import { groupMemberships } from "./services/group-memberships.js";
import { leakRetries } from "./services/leak-retries.js";
import { requests } from "./services/requests.js";
import { eventRetention, requestRetention } from "./services/retention.js";
import type { Service } from "./services/service.js";
import { webhooks } from "./services/webhooks.js";

const { version } = createRequire(import.meta.url)("../package.json") as { version: string };

/** What a worker does. */
const SERVICES: readonly Service[] = [
  requests,
  leakRetries,
  driftScans,
  webhooks,
  auditLinking,
  eventRetention,
  requestRetention,
  groupMemberships,
];

/**
 * Starts a worker with its services.
 *
 * @returns a function that releases the Requests under way, stops the worker and closes its connections
 */
export async function startApp(env: Env, log: Log): Promise<() => Promise<void>> {
  const db = connectDb(env.DATABASE_URL, env.DATABASE_POOL_SIZE);
  const keys = await waitForInstallationKeys(db, env.MASTER_KEY, new OutageLog(log, "read of the installation keys"));
  const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, log, webhookLookup(db));
  const redis = connectRedis(env.REDIS_URL);
  redis.on("error", () => {});

  const fastRedis = connectRedis(env.REDIS_URL, { answerSeconds: REDIS_TIMEOUT_SECONDS, pipelines: true });
  fastRedis.on("error", () => {});
  const share = env.AWS_RATE_SHARE;
  const tokens = share === undefined ? undefined : new TokenBuckets(fastRedis, env.QUEUE_PREFIX, share);

  let isStopping = false;
  const engine = awsEngine(env, { db, jobs, log, keys, tokens, isStopping: () => isStopping });
  // A counter that begins with its first event hides that event from Prometheus.
  for (const type of engine.workflows.keys()) takeovers.inc({ type }, 0);
  const { WORKER_CONCURRENCY: concurrency } = env;
  const slots = new AccountSlots(concurrency);
  const stops = SERVICES.map((start) => start({ env, log, db, jobs, redis, engine, slots }));
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
    await Promise.all(stops.map((stop) => stop()));
    await removeRegistration();
    await stopMetrics();
    await jobs.close();
    fastRedis.disconnect();
    redis.disconnect();
    await db.$disconnect();
  };
}
