import { once } from "node:events";
import { Prisma, type Request } from "@gantry/db";
import { type Log, OutageLog } from "@gantry/runtime";
import { readdedJobs } from "@gantry/telemetry";
import { ErrorCode, Job, Queue } from "bullmq";
import { connectRedis, type RedisConnection } from "./redis-connection.js";
import { checkJob, WEBHOOK_QUEUES } from "./webhook-jobs.js";

/** The name of the queue in Redis: it has one job for each Request, which lasts as long as the Request. */
export const QUEUE = "requests";

/** A Request as far as its job shows it. */
export type QueuedRequest = Pick<Request, "id" | "type" | "accountId" | "resourceType" | "resourceId" | "traceId"> & {
  /** The number of the account's unfinished Requests before this one: jobs of accounts with few go first. */
  ahead?: number;
};

/** A Request that is due; its job may be lost, asleep or over. */
export interface DueRequest extends QueuedRequest {
  /** Whether it has been due for so long that its job runs before others. */
  isOverdue: boolean;
  /** Whether its worker was lost: its job then runs before all that have not begun. */
  isLost: boolean;
}

/**
 * The data of a job, for people to read. A worker runs the Request of the job's id; the account limits its concurrency.
 */
export interface JobData {
  request: string;
  type: string;
  account: string;
  /** What `subjectOf` returns. */
  subject: string | null;
  trace: string;
}

/** The columns of a `QueuedRequest`, as SQL on `requests r`. */
export const QUEUED_COLUMNS = Prisma.sql`r.id, r.type, r.account_id AS "accountId", r.resource_type AS "resourceType",
  r.resource_id AS "resourceId", r.trace_id AS "traceId"`;

const BATCH_SIZE = 500;
/** BullMQ's limit. A job without a priority goes first, then those of priority 1. */
const LAST_PRIORITY = 2 ** 21 - 1;

/** A run makes several changes within this time, which one command to Redis covers. */
const ASK_DELAY_MS = 50;

/** The pause before the next look for webhooks if there is none: the first one that is made waits so long. */
const NO_WEBHOOKS_MS = 1000;

/** The longest wait for a connection; what needs longer is dropped. */
const CONNECT_TIMEOUT_MS = 1000;

interface Queues {
  requests: Queue<JobData>;
  webhooks: Queue;
}

type Step = (queues: Queues) => Promise<unknown>;

/**
 * The queues to which both apps add jobs: those of Requests, and checks for webhooks that are due. All methods return
 * at once; what Redis cannot accept is dropped, since the sweeps find what is due. Of several failures in a row only the
 * first is logged.
 */
export class JobQueues {
  private readonly redis: RedisConnection;
  private queues: Queues | undefined;
  private added: QueuedRequest[] = [];
  private steps: Step[] = [];
  private sending: Promise<void> | undefined;
  private readonly outage: OutageLog;
  /** Set while changes wait to request one check together. */
  private requesting: NodeJS.Timeout | undefined;
  private noWebhooksUntil = 0;
  /** The last look for webhooks. */
  private looking: Promise<void> | undefined;

  /**
   * @param url the address of Redis
   * @param prefix the prefix of the queue's keys in Redis
   * @param hasWebhooks whether there are webhooks, without which no check is requested
   */
  constructor(
    url: string,
    private readonly prefix: string,
    log: Log,
    private readonly hasWebhooks: () => Promise<boolean> = async () => true,
  ) {
    this.outage = new OutageLog(log, "sending of jobs");
    this.redis = connectRedis(url, { answerSeconds: 2 });
    this.redis.on("error", (error) => this.outage.failed(error));
  }

  /** Adds the jobs of accepted Requests, in batches: a batch gathers those that arrive while the one before is sent. */
  add(...requests: QueuedRequest[]): void {
    this.added.push(...requests);
    this.start();
  }

  /** Lets Requests that wait run now. A job that waits for a worker, or runs, is left as it is. */
  wake(...ids: string[]): void {
    this.steps.push(({ requests }) => Promise.all(ids.map((id) => promote(requests, id))));
    this.start();
  }

  /** Ensures that each Request that is due has a job that can run now, whatever became of its earlier jobs. */
  ensureJobs(...due: DueRequest[]): void {
    this.steps.push(({ requests }) => Promise.all(due.map((request) => ensureJob(requests, request))));
    this.start();
  }

  /**
   * Notifies the workers of a change, so that they look for events to deliver. Further changes within a short time
   * share the notification.
   */
  notifyWebhooks(): void {
    const delayMs = Math.max(ASK_DELAY_MS, this.noWebhooksUntil - performance.now());
    this.requesting ??= setTimeout(() => this.look(), delayMs);
  }

  /** Resolves when everything so far was delivered or dropped. */
  async settled(): Promise<void> {
    if (this.requesting) this.look();
    await this.looking;
    while (this.sending) await this.sending;
  }

  async close(): Promise<void> {
    await this.settled();
    for (const queue of Object.values(this.queues ?? {})) await queue.close().catch(() => {});
    this.redis.disconnect();
  }

  private look(): void {
    clearTimeout(this.requesting);
    this.requesting = undefined;
    this.looking = this.hasWebhooks().then((exist) => {
      if (exist) this.requestCheck();
      else this.noWebhooksUntil = performance.now() + NO_WEBHOOKS_MS;
    });
  }

  private requestCheck(): void {
    this.steps.push(({ webhooks }) => webhooks.addBulk([checkJob()]));
    this.start();
  }

  private start(): void {
    this.sending ??= this.send().finally(() => {
      this.sending = undefined;
    });
  }

  private async send(): Promise<void> {
    // One turn of the event loop gathers the Requests of inputs that were answered in it.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.added.length > 0 || this.steps.length > 0) {
      try {
        const queues = await this.connected();
        while (this.added.length > 0) await queues.requests.addBulk(this.added.splice(0, BATCH_SIZE).map(jobOf));
        for (let step = this.steps.shift(); step; step = this.steps.shift()) await step(queues);
        this.outage.worked();
      } catch (error) {
        this.added = [];
        this.steps = [];
        this.outage.failed(error);
      }
    }
  }

  // A queue checks its server once, when it is created, and so needs an open connection then.
  private async connected(): Promise<Queues> {
    if (this.redis.status !== "ready")
      await once(this.redis, "ready", { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    this.queues ??= { requests: this.open(QUEUE), webhooks: this.open(WEBHOOK_QUEUES.fast) };
    return this.queues;
  }

  private open<Data>(name: string): Queue<Data> {
    return new Queue<Data>(name, {
      connection: this.redis,
      prefix: this.prefix,
      skipWaitingForReady: true,
    }).on("error", (error) => this.outage.failed(error));
  }
}

async function ensureJob(queue: Queue<JobData>, request: DueRequest): Promise<void> {
  const { id, isOverdue, isLost } = request;
  const state = await queue.getJobState(id);
  if (state === "delayed") await promote(queue, id);
  else if ((state === "prioritized" && isOverdue) || (isLost && (state === "prioritized" || state === "waiting")))
    await unlessMoved(handle(queue, id).changePriority({ priority: 0, lifo: isLost }));
  else if (state === "completed" || state === "failed" || state === "unknown") {
    // A kept job blocks its id for a new one.
    if (state !== "unknown") await queue.remove(id);
    await queue.addBulk([jobOf(request)]);
    readdedJobs.inc();
  }
}

/** Moves a job that is delayed to those that wait for a worker, and leaves any other as it is. */
function promote(queue: Queue<JobData>, id: string): Promise<void> {
  return unlessMoved(handle(queue, id).promote());
}

/** Waits for a change of a job, which has no effect on one that is gone or in another state by now. */
async function unlessMoved(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== ErrorCode.JobNotExist && code !== ErrorCode.JobNotInState) throw error;
  }
}

/** A job of which only the id is known. */
function handle(queue: Queue<JobData>, id: string): Job {
  return new Job(queue, "", {}, {}, id);
}

/** Returns the resource of a Request, such as `network/3d6b9181-6c3e-5be6-9c96-58d49679699d`; null if it has none. */
export function subjectOf({ resourceType, resourceId }: Pick<Request, "resourceType" | "resourceId">): string | null {
  return resourceType === null ? null : `${resourceType}/${resourceId}`;
}

function jobOf({ ahead = 0, ...request }: QueuedRequest) {
  const { id, type, accountId, traceId } = request;
  const data: JobData = { request: id, type, account: accountId, subject: subjectOf(request), trace: traceId };
  return { name: type, data, opts: { jobId: id, priority: Math.min(ahead, LAST_PRIORITY) } };
}
