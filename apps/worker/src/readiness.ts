import { type Db, requireWrites } from "@gantry/db";
import type { RedisConnection } from "@gantry/queue";
import { sharedRead } from "@gantry/runtime";
import type { Readiness } from "@gantry/telemetry";

/**
 * Returns the function that reads the readiness of a worker: it needs a database that accepts writes, and is not stopping. Redis is only
 * reported: without it, the worker goes on with what it is running.
 */
export function workerReadiness({
  db,
  redis,
  isStopping,
}: {
  db: Pick<Db, "$queryRaw" | "$executeRaw" | "$transaction">;
  redis: Pick<RedisConnection, "status" | "ping">;
  isStopping: () => boolean;
}): () => Promise<Readiness> {
  const askDatabase = sharedRead(() => db.$queryRaw`SELECT 1`.then(() => true));
  const askWrites = sharedRead(() => requireWrites(db).then(() => true));
  const askRedis = sharedRead(() => redis.ping().then(() => true));
  return async () => {
    const [database = false, writable = false, answers = false] = await Promise.all([
      askDatabase(),
      askWrites(),
      redis.status === "ready" && askRedis(),
    ]);
    const stopping = isStopping();
    return { ready: writable && !stopping, database, writable, redis: answers, stopping };
  };
}
