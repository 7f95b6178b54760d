import { openDb } from "@gantry/db";
import { Bell, openRedis } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import { awsEngine } from "./aws-engine.js";
import { startWorker } from "./engine/worker.js";

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

  let stopping = false;
  const engine = awsEngine(env, { db, bell, log, isStopping: () => stopping });
  const stopWorker = startWorker(engine, {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: env.WORKER_CONCURRENCY,
    sweepSeconds: env.SWEEP_SECONDS,
  });
  log.info({ workflows: engine.workflows.size, concurrency: env.WORKER_CONCURRENCY }, "the worker is ready");

  return async () => {
    stopping = true;
    await stopWorker();
    await bell.close();
    redis.disconnect();
    await db.$disconnect();
  };
}
