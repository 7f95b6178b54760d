import { openDb } from "@gantry/db";
import { Bell, openRedis } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import { awsEngine } from "./aws-engine.js";
import { startDriftSweep } from "./drift/sweep.js";
import { startWorker } from "./engine/worker.js";
import { TokenBuckets } from "./token-buckets.js";

/**
 * Starts a worker with everything it needs.
 *
 * @returns a function that stops it and closes what it opened
 */
export function startApp(env: Env, log: Log): () => Promise<void> {
  const db = openDb(env.DATABASE_URL, env.DATABASE_POOL_SIZE);
  const bell = new Bell(env.REDIS_URL, env.QUEUE_PREFIX, log);
  const redis = openRedis(env.REDIS_URL);
  redis.on("error", () => {});

  const tokens = new TokenBuckets(env.REDIS_URL, env.QUEUE_PREFIX, env.AWS_RATE_SHARE);

  let stopping = false;
  const engine = awsEngine(env, { db, bell, log, tokens, isStopping: () => stopping });
  const stopWorker = startWorker(engine, {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: env.WORKER_CONCURRENCY,
    sweepSeconds: env.SWEEP_SECONDS,
    passOn: (ring) => bell.ringInBulk(ring),
  });
  const drift = { periodSeconds: env.DRIFT_SECONDS, calls: env.DRIFT_CALLS, quietSeconds: env.DRIFT_QUIET_SECONDS };
  const stopDriftSweep = env.DRIFT_SECONDS > 0 ? startDriftSweep(engine, drift) : async () => {};
  log.info({ workflows: engine.workflows.size, concurrency: env.WORKER_CONCURRENCY }, "the worker is ready");

  return async () => {
    stopping = true;
    await Promise.all([stopWorker(), stopDriftSweep()]);
    await bell.close();
    tokens.close();
    redis.disconnect();
    await db.$disconnect();
  };
}
