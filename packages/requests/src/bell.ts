import type { Log } from "@gantry/runtime";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

/** The queue's name in Redis. */
export const QUEUE = "requests";

/** What a bell says: this Request is due. The rest is in the database. */
export interface Ring {
  id: string;
  wake: number;
  /** How long from now it is due, in milliseconds; at once where absent. */
  delayMs?: number;
}

/** Connects to Redis without ever giving up on it. */
export function openRedis(url: string, options: { failFast?: boolean } = {}): Redis {
  return new Redis(url, {
    maxRetriesPerRequest: options.failFast ? 0 : null,
    enableOfflineQueue: !options.failFast,
    commandTimeout: options.failFast ? 2000 : undefined,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
}

const BATCH = 500;

/**
 * Tells workers that Requests are due. It gathers what is rung while the last batch is on its way, and drops what
 * Redis cannot take: the sweeper rings again. A ring is named by the Request and its wake, so ringing twice is harmless.
 */
export class Bell {
  private readonly redis: Redis;
  private readonly queue: Queue;
  private waiting: Ring[] = [];
  private sending: Promise<void> | undefined;
  private reachable = true;

  /**
   * @param url the address of Redis
   * @param prefix what the queue's keys in Redis start with
   */
  constructor(
    url: string,
    prefix: string,
    private readonly log: Log,
  ) {
    this.redis = openRedis(url, { failFast: true });
    this.redis.on("error", () => this.note(false));
    this.queue = new Queue(QUEUE, { connection: this.redis, prefix, skipWaitingForReady: true });
    this.queue.on("error", () => this.note(false));
  }

  /** Rings soon, without being waited for. */
  ring(...rings: Ring[]): void {
    this.waiting.push(...rings);
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
    await this.queue.close().catch(() => {});
    this.redis.disconnect();
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the rings of requests that were answered together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH);
      try {
        await this.queue.addBulk(batch.map(job));
        this.note(true);
      } catch {
        this.note(false);
      }
    }
  }

  private note(reachable: boolean): void {
    if (reachable !== this.reachable) {
      this.log[reachable ? "info" : "warn"](
        reachable ? "Redis answers again" : "Redis cannot be reached; the sweeper will ring",
      );
    }
    this.reachable = reachable;
  }
}

function job({ id, wake, delayMs }: Ring) {
  return {
    name: "run",
    data: { requestId: id },
    opts: {
      jobId: `${id}-${wake}`,
      removeOnComplete: true,
      removeOnFail: true,
      ...(delayMs ? { delay: Math.ceil(delayMs) } : {}),
    },
  };
}
