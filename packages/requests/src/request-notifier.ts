import { once } from "node:events";
import type { Log } from "@gantry/runtime";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { NotificationRate } from "./notification-rate.js";

/**
 * The queues' names in Redis: one for notifications within an account's rate, and one for those beyond it, so that no
 * account waits behind another one's flood.
 */
export const QUEUES = { normal: "requests", lowPriority: "requests-bulk" } as const;

/** The message that a Request is due; its data is in the database. */
export interface Notification {
  id: string;
  accountId: string;
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
/** The greatest priority number of BullMQ. */
const MAX_PRIORITY = 2_097_151;

/** The longest wait for a connection; notifications that need longer are dropped. */
const CONNECT_TIMEOUT_MS = 1000;

/**
 * Notifies workers of Requests that are due, in batches: a batch gathers the notifications that arrive while the one
 * before is sent. Notifications that Redis cannot take are dropped, since the sweep finds their Requests. A Request and
 * its wake name a notification, so that a repeated one has no effect.
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
    this.enqueue(notifications.map((each) => job(each, this.rate.excess(each.accountId))));
  }

  /** Sends a notification behind all that are within their account's rate. */
  notifyLowPriority(notification: Notification): void {
    this.enqueue([job(notification, 1)]);
  }

  private enqueue(jobs: Job[]): void {
    this.pending.push(...jobs);
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
    for (const queue of Object.values(this.queues ?? {})) await queue.close().catch(() => {});
    this.redis.disconnect();
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the notifications of inputs that were answered in it.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      try {
        const { normal, lowPriority } = await this.connected();
        while (this.pending.length > 0) {
          const batch = this.pending.splice(0, BATCH_SIZE);
          const isExcess = ({ opts }: Job) => opts.priority !== undefined;
          const [within, beyond] = [batch.filter((each) => !isExcess(each)), batch.filter(isExcess)];
          await Promise.all([
            within.length > 0 && normal.addBulk(within),
            beyond.length > 0 && lowPriority.addBulk(beyond),
          ]);
        }
        this.setReachable(true);
      } catch (error) {
        this.pending = [];
        this.setReachable(false, error);
      }
    }
  }

  // A queue checks its server once, when it is created, and so needs an open connection then.
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
    if (reachable && !this.reachable) this.log.info("Redis is reachable again");
    if (!reachable && this.reachable)
      this.log.warn({ err: error }, "Redis is unreachable; the sweep finds due Requests");
    this.reachable = reachable;
  }
}

/** The payload of a notification. Older versions send the Request's id alone. */
export interface NotificationData {
  requestId: string;
  accountId?: string;
  wake?: number;
}

type Job = ReturnType<typeof job>;

/** The queue's job; `excess` is the number of notifications beyond the account's rate, which delays the job. */
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
