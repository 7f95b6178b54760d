import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { connectRedis, QUEUE } from "@gantry/queue";
import { Queue } from "bullmq";
import { Cluster } from "ioredis";

const PAUSE_MS = 3000;

/**
 * The actions of people on the queue of Requests in a dashboard of BullMQ. None of them may change the outcome of a
 * Request.
 */
const ACTS = {
  "remove jobs": async (queue) => {
    // An active job is locked by its worker.
    for (const { id } of await queue.getJobs(["wait", "prioritized", "delayed", "active"], 0, 20))
      await queue.remove(String(id)).catch(() => {});
  },
  "drain the queue": (queue) => queue.drain(true),
  "obliterate the queue": (queue) => queue.obliterate({ force: true }),
  "promote jobs": (queue) => queue.promoteJobs(),
  "repeat jobs": async (queue) => {
    await queue.retryJobs({ state: "failed" });
    await queue.retryJobs({ state: "completed" });
  },
  "clean jobs": async (queue) => {
    for (const state of ["failed", "completed", "delayed", "prioritized"] as const) await queue.clean(0, 1000, state);
  },
  "pause the queue": async (queue) => {
    await queue.pause();
    await sleep(PAUSE_MS);
    await queue.resume();
  },
} satisfies Record<string, (queue: Queue) => Promise<unknown>>;

export type QueueAct = keyof typeof ACTS;
export const QUEUE_ACTS = Object.keys(ACTS) as QueueAct[];

/** Acts on the queue as a dashboard does. Does nothing once Redis is away. */
export async function actOnQueue(redisUrl: string, prefix: string, act: QueueAct): Promise<void> {
  await withQueue(redisUrl, prefix, ACTS[act]);
}

/** Ends a pause that an act could not end because Redis was killed meanwhile. */
export async function resumeQueue(redisUrl: string, prefix: string): Promise<void> {
  await withQueue(redisUrl, prefix, (queue) => queue.resume());
}

/** Removes everything from Redis. Does nothing while Redis is away. */
export async function flushRedis(redisUrl: string): Promise<void> {
  const redis = connectRedis(redisUrl, { answerSeconds: 2 }).on("error", () => {});
  try {
    await once(redis, "ready", { signal: AbortSignal.timeout(2000) });
    const servers = redis instanceof Cluster ? redis.nodes("master") : [redis];
    await Promise.all(servers.map((server) => server.flushall()));
  } catch {
    // Redis was killed meanwhile.
  } finally {
    redis.disconnect();
  }
}

async function withQueue(redisUrl: string, prefix: string, act: (queue: Queue) => Promise<unknown>): Promise<void> {
  const redis = connectRedis(redisUrl, { answerSeconds: 2 }).on("error", () => {});
  const queue = new Queue(QUEUE, { connection: redis, prefix, skipWaitingForReady: true }).on("error", () => {});
  try {
    await act(queue);
  } catch {
    // Redis was killed meanwhile.
  } finally {
    await queue.close().catch(() => {});
    redis.disconnect();
  }
}
