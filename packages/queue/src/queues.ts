import { QueueKeys } from "bullmq";
import { QUEUE } from "./job-queues.js";
import type { RedisConnection } from "./redis-connection.js";
import { WEBHOOK_QUEUES } from "./webhook-jobs.js";

/** The names in Redis of all queues. */
export const QUEUES = [QUEUE, ...Object.values(WEBHOOK_QUEUES)] as const;

/**
 * Returns the names of the paused queues: their jobs wait, however many workers run.
 *
 * @param prefix the prefix of the queues' keys in Redis
 */
export async function pausedQueues(redis: RedisConnection, prefix: string): Promise<string[]> {
  const keys = new QueueKeys(prefix);
  const flags = await Promise.all(QUEUES.map((name) => redis.hexists(keys.toKey(name, "meta"), "paused")));
  return QUEUES.filter((_, index) => flags[index] === 1);
}

/** The number of jobs of a queue in each state, as BullMQ counts them. */
export interface QueueCounts {
  name: (typeof QUEUES)[number];
  paused: boolean;
  /** Those that a worker may take, of whatever priority. */
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
}

/**
 * Counts the jobs of each queue.
 *
 * @param prefix the prefix of the queues' keys in Redis
 */
export async function queueCounts(redis: RedisConnection, prefix: string): Promise<QueueCounts[]> {
  const keys = new QueueKeys(prefix);
  const paused = await pausedQueues(redis, prefix);
  return Promise.all(
    QUEUES.map(async (name) => {
      const list = (state: string) => redis.llen(keys.toKey(name, state));
      const set = (state: string) => redis.zcard(keys.toKey(name, state));
      const [wait, prioritized, active, delayed, failed, completed] = await Promise.all([
        list("wait"),
        set("prioritized"),
        list("active"),
        set("delayed"),
        set("failed"),
        set("completed"),
      ]);
      return { name, paused: paused.includes(name), waiting: wait + prioritized, active, delayed, failed, completed };
    }),
  );
}
