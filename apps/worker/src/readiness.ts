import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@gantry/db";
import type { RedisConnection } from "@gantry/requests";
import type { Readiness } from "@gantry/telemetry";

const LIMIT_MS = 3000;

/**
 * Returns the function that reads the readiness of a worker: it needs the database, and is not stopping. Redis is only
 * reported: without it, the worker goes on with what it is running.
 */
export function workerReadiness({
  db,
  redis,
  isStopping,
}: {
  db: Pick<Db, "$queryRaw">;
  redis: Pick<RedisConnection, "status">;
  isStopping: () => boolean;
}): () => Promise<Readiness> {
  return async () => {
    const answered = db.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    const database = (await Promise.race([answered, sleep(LIMIT_MS, false, { ref: false })])) ?? false;
    const stopping = isStopping();
    return { ready: database && !stopping, database, redis: redis.status === "ready", stopping };
  };
}
