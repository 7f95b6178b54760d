import { once } from "node:events";
import type { Log } from "@gantry/runtime";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { NotificationRate } from "./notification-rate.js";

/**
 * The queues' names in Redis: one for accounts that ring now and then, and one for what an account rings beyond that, so
 * that nobody waits behind another's flood.
 */
export const QUEUES = { normal: "requests", lowPriority: "requests-bulk" } as const;

/** What a bell says: this Request is due. The rest is in the database. */
export interface Notification {
  id: string;
  accountId: string;
  wake: number;
  /** How long from now it is due, in milliseconds; at once where absent. */
  delayMs?: number;
}

/**
 * Connects to Redis without ever giving up on it.
 *
 * @param answerSeconds the longest that a command may take before it fails; one waits for as long as it takes where absent
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
/** BullMQ's greatest. */
const MAX_PRIORITY = 2_097_151;

/** How long a ring waits for a connection before it is left to the sweeper, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1000;

/**
 * Tells workers that Requests are due. It gathers what is rung while the last batch is on its way, and drops what
 * Redis cannot take: the sweeper rings again. A ring is named by the Request and its wake, so ringing twice is harmless.
 */
export class RequestNotifier {
  private readonly redis: Redis;
  private queues: Record<keyof typeof QUEUES, Queue> | undefined;
  private readonly rate = new NotificationRate();
  private pending: Job[] = [];
  private sending: Promise<void> | undefined;
  private reachable = true;

  /**
   * @param url the address of Redis
   * @param prefix what the queue's keys in Redis start with
   */
  constructor(
    url: string,
    private readonly prefix: string,
    private readonly log: Log,
  ) {
    this.redis = openRedis(url, { answerSeconds: 2 });
    this.redis.on("error", (error) => this.setReachable(false, error));
  }

  /** Rings soon, without being waited for. */
  notify(...notifications: Notification[]): void {
    this.enqueue(notifications.map((notify) => job(notify, this.rate.excess(notify.accountId))));
  }

  /** Rings behind all that is not a flood, whatever the account's pace. */
  notifyLowPriority(notification: Notification): void {
    this.enqueue([job(notification, 1)]);
  }

  private enqueue(jobs: Job[]): void {
    this.pending.push(...jobs);
    this.sending ??= this.send().finally(() => {
      this.sending = undefined;
    });
  }

  /** Resolves when everything rung so far was delivered or dropped. */
  async settled(): Promise<void> {
    while (this.sending) await this.sending;
  }

  async close(): Promise<void> {
    await this.settled();
    for (const queue of Object.values(this.queues ?? {})) await queue.close().catch(() => {});
    this.redis.disconnect();
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the rings of requests that were answered together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      try {
        const { normal, lowPriority } = await this.connected();
        while (this.pending.length > 0) {
          const batch = this.pending.splice(0, BATCH_SIZE);
          const isBulk = ({ opts }: Job) => opts.priority !== undefined;
          const [few, many] = [batch.filter((each) => !isBulk(each)), batch.filter(isBulk)];
          await Promise.all([few.length > 0 && normal.addBulk(few), many.length > 0 && lowPriority.addBulk(many)]);
        }
        this.setReachable(true);
      } catch (error) {
        this.pending = [];
        this.setReachable(false, error);
      }
    }
  }

  // The queue looks at its server when it is made and never again, so it is made on a connection that stands.
  private async connected(): Promise<Record<keyof typeof QUEUES, Queue>> {
    if (this.redis.status !== "ready")
      await once(this.redis, "ready", { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    this.queues ??= { normal: this.open(QUEUES.normal), lowPriority: this.open(QUEUES.lowPriority) };
    return this.queues;
  }

  private open(name: string): Queue {
    const queue = new Queue(name, { connection: this.redis, prefix: this.prefix, skipWaitingForReady: true });
    return queue.on("error", (error) => this.setReachable(false, error));
  }

  private setReachable(reachable: boolean, error?: unknown): void {
    if (reachable && !this.reachable) this.log.info("Redis answers again");
    if (!reachable && this.reachable) this.log.warn({ err: error }, "Redis cannot be reached; the sweeper will ring");
    this.reachable = reachable;
  }
}

/** What a worker hears. Bells of an older version say no more than the Request. */
export interface NotificationData {
  requestId: string;
  accountId?: string;
  wake?: number;
}

type Job = ReturnType<typeof job>;

/** `excess` is how far the account is beyond its pace: the further, the later. */
function job({ id, accountId, wake, delayMs }: Notification, excess: number) {
  return {
    name: "run",
    data: { requestId: id, accountId, wake } satisfies NotificationData,
    opts: {
      jobId: `${id}-${wake}`,
      removeOnComplete: true,
      removeOnFail: true,
      ...(delayMs ? { delay: Math.ceil(delayMs) } : {}),
      ...(excess > 0 ? { priority: Math.min(excess, MAX_PRIORITY) } : {}),
    },
  };
}
