// A worker of a version that does not know databases and servers yet: it must leave their Requests to those that do.
import { openDb } from "@gantry/db";
import { Bell, openRedis } from "@gantry/requests";
import { createLog, onShutdown, readEnv } from "@gantry/runtime";
import { awsEngine } from "../../../apps/worker/dist/aws-engine.js";
import { startWorker } from "../../../apps/worker/dist/engine/worker.js";

const env = readEnv();
const log = createLog("worker", env.LOG_LEVEL);
const db = openDb(env.DATABASE_URL, env.DATABASE_POOL_SIZE);
const bell = new Bell(env.REDIS_URL, env.QUEUE_PREFIX, log);
const redis = openRedis(env.REDIS_URL);
let stopping = false;
const engine = awsEngine(env, { db, bell, log, isStopping: () => stopping });
const known = [...engine.workflows].filter(([type]) => !/database|server/.test(type));
const stop = startWorker(
  { ...engine, workflows: new Map(known) },
  { redis, prefix: env.QUEUE_PREFIX, concurrency: env.WORKER_CONCURRENCY, sweepSeconds: env.SWEEP_SECONDS },
);
onShutdown(log, env.SHUTDOWN_SECONDS, async () => {
  stopping = true;
  await stop();
  await bell.close();
  redis.disconnect();
  await db.$disconnect();
});
process.send?.("ready");
