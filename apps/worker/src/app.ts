import { openDb, Vault } from "@gantry/db";
import { Bell, openRedis } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import type { Aws } from "./aws/clients.js";
import { classifyAwsError } from "./aws/failures.js";
import { kinds } from "./aws/kinds.js";
import type { Engine } from "./engine/engine.js";
import { startWorker } from "./engine/worker.js";
import { providerClouds } from "./provider-clouds.js";
import { workflows } from "./workflows/index.js";

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
  const engine: Engine<Aws> = {
    db,
    bell,
    log,
    workflows,
    kinds,
    connect: providerClouds(db, new Vault(env.MASTER_KEY), env.AWS_CALL_SECONDS),
    classify: classifyAwsError,
    leaseSeconds: env.LEASE_SECONDS,
    callSeconds: env.AWS_CALL_SECONDS,
    visibilitySeconds: env.AWS_VISIBILITY_SECONDS,
    isStopping: () => stopping,
  };
  const stopWorker = startWorker(engine, {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: env.WORKER_CONCURRENCY,
    sweepSeconds: env.SWEEP_SECONDS,
  });
  log.info({ workflows: workflows.size, concurrency: env.WORKER_CONCURRENCY }, "the worker is ready");

  return async () => {
    stopping = true;
    await stopWorker();
    await bell.close();
    redis.disconnect();
    await db.$disconnect();
  };
}
