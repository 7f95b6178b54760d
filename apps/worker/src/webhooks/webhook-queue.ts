import {
  CHECK,
  checkJob,
  connectRedis,
  deliveryJob,
  QueueWorker,
  WEBHOOK_QUEUES,
  type WebhookJob,
} from "@gantry/queue";
import { type Log, repeat } from "@gantry/runtime";
import { type Job, Queue } from "bullmq";
import type { WebhookDeliverer } from "./webhook-deliverer.js";

/** A worker checks once for all deliveries that it expects within this time. */
const CHECKS_MS = 100;
/** What is due later is left to the sweep. */
const LATEST_CHECK_MS = 60_000;
/** The time until the next job of a webhook whose account uses its part of a worker. */
const ACCOUNT_BUSY_MS = 200;

/** A queue of webhooks to deliver to. The database decides what a job delivers. */
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

export interface WebhookQueueOptions {
  redisUrl: string;
  /** The prefix of the queue's keys in Redis. */
  prefix: string;
  log: Log;
  /** The pause between two checks without a request from a change. */
  sweepSeconds: number;
}

/**
 * Schedules all webhooks that have something to deliver, on only one of all workers. Changes request a check for these
 * webhooks. The sweep also checks for them, in case Redis lost a request.
 *
 * @returns a function that stops it and resolves when no delivery is under way
 */
export function startWebhookQueue(
  deliverer: WebhookDeliverer,
  { redisUrl, prefix, log, sweepSeconds }: WebhookQueueOptions,
): () => Promise<void> {
  const timers = new Map<number, NodeJS.Timeout>();
  const checkIn = (ms: number) => {
    const at = Math.ceil((performance.now() + Math.max(0, ms)) / CHECKS_MS) * CHECKS_MS;
    if (ms > LATEST_CHECK_MS || timers.has(at)) return;
    const checkNow = () => {
      timers.delete(at);
      check().catch(() => {});
    };
    timers.set(at, setTimeout(checkNow, Math.max(0, at - performance.now())));
  };
  const check = async () => {
    const { webhooks, areEventsHeldBack } = await deliverer.due();
    const deliveryJobs = (isSlow: boolean) =>
      webhooks
        .filter((each) => each.isSlow === isSlow)
        .map(({ id, accountId }) => deliveryJob({ webhook: id, account: accountId }));
    await Promise.all([fast.queue.addBulk(deliveryJobs(false)), slow.queue.addBulk(deliveryJobs(true))]);
    if (areEventsHeldBack) await requestCheck();
  };
  const requestCheck = () => fast.queue.addBulk([checkJob()]);
  const lane = { deliverer, check, checkIn, redisUrl, prefix, log };
  const fast = openLane(LANES.fast, lane);
  const slow = openLane(LANES.slow, lane);

  const sweeping = repeat({ everyMs: sweepSeconds * 1000, log, name: "check of webhooks" }, check);
  return async () => {
    await sweeping.stop();
    await Promise.all([fast.worker.close(), slow.worker.close()]);
    for (const timer of timers.values()) clearTimeout(timer);
    // Another worker has what this worker would have checked for.
    await requestCheck().catch(() => {});
    await Promise.all([fast.close(), slow.close()]);
  };
}

interface LaneOptions extends Omit<WebhookQueueOptions, "sweepSeconds"> {
  deliverer: WebhookDeliverer;
  /** Schedules the webhooks that are due. */
  check(): Promise<void>;
  /** Checks later; what is due after a minute is left to the sweep. */
  checkIn(ms: number): void;
}

function openLane(
  { name, concurrency, accountConcurrency }: Lane,
  { deliverer, check, checkIn, redisUrl, prefix, log }: LaneOptions,
) {
  const connections = { queue: connectRedis(redisUrl, { answerSeconds: 2 }), worker: connectRedis(redisUrl) };
  for (const connection of Object.values(connections)) connection.on("error", () => {});
  const queue = new Queue(name, { connection: connections.queue, prefix });
  const run = (job: Job<WebhookJob>) => (job.name === CHECK ? check() : take(job.data));
  const worker = new QueueWorker<WebhookJob>(name, run, log, {
    connection: connections.worker,
    prefix,
    concurrency,
    // Another worker takes over a dead worker's job as soon as its lease has ended.
    lockDuration: 10_000,
    stalledInterval: 5000,
    maxStalledCount: 1_000_000,
  });
  queue.on("error", () => {});

  /** The number of jobs under way here, by account. */
  const underWay = new Map<string, number>();
  const count = (account: string, difference: number) =>
    underWay.set(account, (underWay.get(account) ?? 0) + difference);
  async function take({ webhook, account }: WebhookJob): Promise<void> {
    // Drops the job: the next check finds the webhook again, in random order, so that none of the account's starves.
    if ((underWay.get(account) ?? 0) >= accountConcurrency) return checkIn(ACCOUNT_BUSY_MS);
    count(account, 1);
    const moreMs = await deliverer.deliver(webhook).finally(() => count(account, -1));
    if (moreMs !== undefined) checkIn(moreMs);
  }

  const close = async () => {
    await queue.close().catch(() => {});
    for (const connection of Object.values(connections)) connection.disconnect();
  };
  return { queue, worker, close };
}
