import { once } from "node:events";
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

/** How long a ring waits for a connection before it is left to the sweeper, in milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Tells workers that Requests are due. It gathers what is rung while the last batch is on its way, and drops what
 * Redis cannot take: the sweeper rings again. A ring is named by the Request and its wake, so ringing twice is harmless.
 */
export class Bell {
  private readonly redis: Redis;
  private queue: Queue | undefined;
  private waiting: Ring[] = [];
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
    this.redis = openRedis(url, { failFast: true });
    this.redis.on("error", (error) => this.note(false, error));
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
    await this.queue?.close().catch(() => {});
    this.redis.disconnect();
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the rings of requests that were answered together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      try {
        const queue = await this.connected();
        while (this.waiting.length > 0) await queue.addBulk(this.waiting.splice(0, BATCH).map(job));
        this.note(true);
      } catch (error) {
        this.waiting = [];
        this.note(false, error);
      }
    }
  }

  // The queue looks at its server when it is made and never again, so it is made on a connection that stands.
  private async connected(): Promise<Queue> {
    if (this.redis.status !== "ready") await once(this.redis, "ready", { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!this.queue) {
      this.queue = new Queue(QUEUE, { connection: this.redis, prefix: this.prefix, skipWaitingForReady: true });
      this.queue.on("error", (error) => this.note(false, error));
    }
    return this.queue;
  }

  private note(reachable: boolean, error?: unknown): void {
    if (reachable && !this.reachable) this.log.info("Redis answers again");
    if (!reachable && this.reachable) this.log.warn({ err: error }, "Redis cannot be reached; the sweeper will ring");
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
