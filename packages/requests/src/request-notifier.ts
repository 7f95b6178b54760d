import { once } from "node:events";
import type { Log } from "@gantry/runtime";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

/** The name of the queue in Redis. */
export const QUEUE = "requests";

/** The message that a Request is due, which wakes a worker; what the worker then runs is the database's choice. */
export interface Notification {
  id: string;
  wake: number;
  /** The time until the Request is due, in milliseconds; 0 where absent. */
  delayMs?: number;
}

/**
 * A client of Redis that reconnects for ever.
 *
 * @param answerSeconds the longest time of a command before it fails; without it commands wait without end
 */
export function openRedis(url: string, { answerSeconds }: { answerSeconds?: number } = {}): Redis {
  const failsFast = answerSeconds !== undefined;
  return new Redis(url, {
    maxRetriesPerRequest: failsFast ? 0 : null,
    enableOfflineQueue: !failsFast,
    commandTimeout: failsFast ? answerSeconds * 1000 : undefined,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
}

const BATCH_SIZE = 500;

/** The longest wait for a connection; notifications that need longer are dropped. */
const CONNECT_TIMEOUT_MS = 1000;

/**
 * Notifies workers of Requests that are due, in batches: a batch gathers the notifications that arrive while the one
 * before is sent. Notifications that Redis cannot take are dropped, since the sweep finds their Requests. A Request and
 * its wake name a notification, so that a repeated one has no effect.
 */
export class RequestNotifier {
  private readonly redis: Redis;
  private queue: Queue | undefined;
  private pending: Notification[] = [];
  private sending: Promise<void> | undefined;
  private reachable = true;

  /**
   * @param url the address of Redis
   * @param prefix the prefix of the queue's keys in Redis
   */
  constructor(
    url: string,
    private readonly prefix: string,
    private readonly log: Log,
  ) {
    this.redis = openRedis(url, { answerSeconds: 2 });
    this.redis.on("error", (error) => this.setReachable(false, error));
  }

  /** Sends notifications soon, without a result. */
  notify(...notifications: Notification[]): void {
    this.pending.push(...notifications);
    this.sending ??= this.send().finally(() => {
      this.sending = undefined;
    });
  }

  /** Resolves when all notifications so far were delivered or dropped. */
  async settled(): Promise<void> {
    while (this.sending) await this.sending;
  }

  async close(): Promise<void> {
    await this.settled();
    await this.queue?.close().catch(() => {});
    this.redis.disconnect();
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the notifications of inputs that were answered in it.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      try {
        const queue = await this.connected();
        while (this.pending.length > 0) await queue.addBulk(this.pending.splice(0, BATCH_SIZE).map(job));
        this.setReachable(true);
      } catch (error) {
        this.pending = [];
        this.setReachable(false, error);
      }
    }
  }

  // A queue checks its server once, when it is created, and so needs an open connection then.
  private async connected(): Promise<Queue> {
    if (this.redis.status !== "ready")
      await once(this.redis, "ready", { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    this.queue ??= new Queue(QUEUE, { connection: this.redis, prefix: this.prefix, skipWaitingForReady: true }).on(
      "error",
      (error) => this.setReachable(false, error),
    );
    return this.queue;
  }

  private setReachable(reachable: boolean, error?: unknown): void {
    if (reachable && !this.reachable) this.log.info("Redis is reachable again");
    if (!reachable && this.reachable)
      this.log.warn({ err: error }, "Redis is unreachable; the sweep finds due Requests");
    this.reachable = reachable;
  }
}

function job({ id, wake, delayMs }: Notification) {
  const delay = delayMs ? { delay: Math.ceil(delayMs) } : {};
  // Workers of older versions run the Request that the job names.
  const data = { requestId: id };
  return { name: "run", data, opts: { jobId: `${id}-${wake}`, removeOnComplete: true, removeOnFail: true, ...delay } };
}
