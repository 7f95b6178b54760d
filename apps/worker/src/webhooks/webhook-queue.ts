import { openRedis, WEBHOOK_QUEUES } from "@gantry/requests";
import { type Log, repeat } from "@gantry/runtime";
import { Queue, Worker } from "bullmq";
import type { DueWebhook, WebhookDeliverer } from "./webhook-deliverer.js";

const POLL_MS = 200;

/** A queue of turns. A job is a webhook's turn; what is delivered in it is the database's choice. */
interface Lane {
  /** The name of the queue in Redis. */
  name: string;
  /** Webhooks that one worker delivers to at the same time. */
  concurrency: number;
  /** Those of one account: others' are delivered to on the rest, however slow its receivers are. */
  accountConcurrency: number;
}

export const LANES = {
  fast: { name: WEBHOOK_QUEUES.fast, concurrency: 50, accountConcurrency: 10 },
  slow: { name: WEBHOOK_QUEUES.slow, concurrency: 20, accountConcurrency: 4 },
} satisfies Record<string, Lane>;

/** The ids of a webhook and its account. */
interface Turn {
  webhook: string;
  account: string;
}

export interface WebhookQueueOptions {
  redisUrl: string;
  /** The prefix of the queue's keys in Redis. */
  prefix: string;
  log: Log;
}

/**
 * Gives each webhook with something to deliver a turn, on one worker of all that do so.
 *
 * @returns a function that stops it and resolves when no delivery is under way
 */
export function startWebhookQueue(
  deliverer: WebhookDeliverer,
  { redisUrl, prefix, log }: WebhookQueueOptions,
): () => Promise<void> {
  const fast = openLane(LANES.fast, deliverer, { redisUrl, prefix, log });
  const slow = openLane(LANES.slow, deliverer, { redisUrl, prefix, log });

  let isFailing = false;
  const poll = async () => {
    const due = await deliverer.due();
    // A webhook whose turn is waiting or under way has a job of this id already.
    await Promise.all([
      fast.queue.addBulk(due.filter(({ isSlow }) => !isSlow).map(jobOf)),
      slow.queue.addBulk(due.filter(({ isSlow }) => isSlow).map(jobOf)),
    ]);
    isFailing = false;
  };
  const polling = repeat(POLL_MS, poll, (error) => {
    if (!isFailing) log.warn({ err: error }, "webhooks cannot be delivered; the next attempt follows");
    isFailing = true;
  });
  return async () => {
    await polling.stop();
    await Promise.all([fast.close(), slow.close()]);
  };
}

function openLane(
  { name, concurrency, accountConcurrency }: Lane,
  deliverer: WebhookDeliverer,
  { redisUrl, prefix, log }: WebhookQueueOptions,
) {
  const connections = { queue: openRedis(redisUrl, { answerSeconds: 2 }), worker: openRedis(redisUrl) };
  for (const connection of Object.values(connections)) connection.on("error", () => {});
  const queue = new Queue<Turn>(name, {
    connection: connections.queue,
    prefix,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  const worker = new Worker<Turn>(name, ({ data }) => take(data), {
    connection: connections.worker,
    prefix,
    concurrency,
    // A turn of a dead worker is another worker's as soon as its lease has ended.
    lockDuration: 10_000,
    stalledInterval: 5000,
    maxStalledCount: 1_000_000,
  });
  queue.on("error", () => {});
  worker.on("error", () => {});
  worker.on("failed", (_, error) => log.warn({ err: error }, "webhook delivery interrupted; the next turn follows"));

  /** The number of turns under way here, by account. */
  const underWay = new Map<string, number>();
  const count = (account: string, difference: number) =>
    underWay.set(account, (underWay.get(account) ?? 0) + difference);
  async function take({ webhook, account }: Turn): Promise<void> {
    // Drops the turn: the next poll finds the webhook again, in random order, so that none of the account's starves.
    if ((underWay.get(account) ?? 0) >= accountConcurrency) return;
    count(account, 1);
    await deliverer.deliver(webhook).finally(() => count(account, -1));
  }

  const close = async () => {
    await worker.close();
    await queue.close().catch(() => {});
    for (const connection of Object.values(connections)) connection.disconnect();
  };
  return { queue, close };
}

function jobOf({ id, accountId }: DueWebhook) {
  const data: Turn = { webhook: id, account: accountId };
  return { name: "deliver", data, opts: { jobId: id } };
}
