import { randomUUID } from "node:crypto";
import { type Log, repeat } from "@gantry/runtime";
import { z } from "zod";
import type { RedisConnection } from "./redis-connection.js";

const INTERVAL_MS = 5000;
/** A worker that has not been seen for this time is gone. */
const GONE_AFTER_MS = 60_000;

/** A worker, as it describes itself in Redis. Workers of other versions read it too. */
export const registeredWorker = z.object({
  id: z.uuid().describe("A new id for each start"),
  host: z.string().describe("The name of its machine or container"),
  pid: z.int().min(1).describe("The id of its process on the host"),
  version: z.string().describe("The version of Gantry that it runs"),
  concurrency: z.int().min(1).describe("The maximum number of Requests that it runs at the same time"),
  in_use: z.int().min(0).describe("The number of Requests that it is running"),
  started_at: z.iso.datetime({ precision: 3 }),
  seen_at: z.iso.datetime({ precision: 3 }),
});

const registeredText = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(registeredWorker);

export type RegisteredWorker = z.output<typeof registeredWorker>;

/**
 * Registers this worker in Redis as soon as it is connected, every 5 s and after every reconnection. A registration that fails is tried again.
 *
 * @param redis a connection on which commands fail fast
 * @param options the prefix of the queues' keys in Redis, and a log
 * @param describe returns what the worker says about itself; called at each registration
 * @returns a function that removes the registration, and resolves also if Redis does not answer
 */
export function registerWorker(
  redis: RedisConnection,
  { prefix, log }: { prefix: string; log: Log },
  describe: () => Omit<RegisteredWorker, "id" | "started_at" | "seen_at">,
): () => Promise<void> {
  const id = randomUUID();
  const started_at = new Date().toISOString();
  const register = async () => {
    const seen_at = (await timeOf(redis)).toISOString();
    const worker: RegisteredWorker = { id, ...describe(), started_at, seen_at };
    await redis.hset(keyOf(prefix), id, JSON.stringify(worker));
  };
  const registration = repeat({ everyMs: INTERVAL_MS, log, name: "registration of the worker" }, register);
  if (redis.status === "ready") registration.run();
  redis.on("ready", registration.run);
  return async () => {
    redis.off("ready", registration.run);
    await registration.stop();
    await redis.hdel(keyOf(prefix), id).catch(() => {});
  };
}

/**
 * Returns the workers that registered within the last minute, in the order of their starts. Deletes the registrations
 * of others.
 *
 * @param prefix the prefix of the queues' keys in Redis
 */
export async function registeredWorkers(redis: RedisConnection, prefix: string): Promise<RegisteredWorker[]> {
  const [registrations, now] = await Promise.all([redis.hgetall(keyOf(prefix)), timeOf(redis)]);
  const workers: RegisteredWorker[] = [];
  const gone: string[] = [];
  for (const [id, text] of Object.entries(registrations)) {
    const { data: worker } = registeredText.safeParse(text);
    if (worker && now.getTime() - Date.parse(worker.seen_at) < GONE_AFTER_MS) workers.push(worker);
    else gone.push(id);
  }
  if (gone.length > 0) await redis.hdel(keyOf(prefix), ...gone);
  return workers.sort((one, other) => one.started_at.localeCompare(other.started_at));
}

function keyOf(prefix: string): string {
  return `${prefix}:workers`;
}

/** The time by the clock of Redis: workers' own clocks may differ. */
async function timeOf(redis: RedisConnection): Promise<Date> {
  const [seconds, microseconds] = await redis.time();
  return new Date(Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000));
}
