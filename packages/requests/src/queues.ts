import { QueueKeys } from "bullmq";
import type { Redis } from "ioredis";
import { QUEUE } from "./request-jobs.js";

/** The names in Redis of the queues of webhooks: receivers that are known to be slow wait only for each other. */
export const WEBHOOK_QUEUES = { fast: "webhooks", slow: "webhooks-slow" } as const;

/** The names in Redis of all queues. */
export const QUEUES = [QUEUE, ...Object.values(WEBHOOK_QUEUES)] as const;

/**
 * Returns the names of the paused queues: their jobs wait, however many workers run.
 *
 * @param prefix the prefix of the queues' keys in Redis
 */
export async function pausedQueues(redis: Redis, prefix: string): Promise<string[]> {
  const keys = new QueueKeys(prefix);
  const flags = await Promise.all(QUEUES.map((name) => redis.hexists(keys.toKey(name, "meta"), "paused")));
  return QUEUES.filter((_, index) => flags[index] === 1);
}
