import { setTimeout as sleep } from "node:timers/promises";
import { type Notification, type NotificationData, QUEUES } from "@gantry/requests";
import { type Job, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { AccountSlots, divideConcurrency } from "./account-slots.js";
import type { Engine } from "./engine.js";
import { waitForIdleEventLoop } from "./idle-event-loop.js";
import { runRequest } from "./run.js";
import { deleteExpiredIdempotencyKeys, sweep } from "./sweep.js";
import { checkWatches } from "./watch.js";

const HOUR_MS = 3_600_000;
/** How long nobody looks at what is waited for, once everything due was looked at. */
const WATCH_INTERVAL_MS = 1000;

export interface WorkerOptions {
  /** A connection of the worker's own. */
  redis: Redis;
  prefix: string;
  /** How many Requests it runs at a time. */
  concurrency: number;
  sweepSeconds: number;
  /** Rings again, behind all that is not a flood. */
  requeue(notification: Notification): void;
}

/**
 * Answers bells and sweeps for Requests whose bell was lost.
 *
 * @returns a function that takes no more Requests, gives back those under way, and resolves when all is still
 */
export function startWorker<Cloud>(engine: Engine<Cloud>, options: WorkerOptions): () => Promise<void> {
  const { sweepSeconds, requeue } = options;
  const slots = divideConcurrency(options.concurrency);
  const accountSlots = new AccountSlots(slots.normal);
  const run = (job: Job<NotificationData>) => runNotified(engine, job.data.requestId);
  const workers = [
    startQueueWorker(engine, QUEUES.lowPriority, { ...options, concurrency: slots.lowPriority }, async (job) => {
      await waitForIdleEventLoop();
      await run(job);
    }),
    startQueueWorker(engine, QUEUES.normal, { ...options, concurrency: slots.normal }, async (job) => {
      const { requestId: id, accountId, wake } = job.data;
      if (accountId === undefined || wake === undefined) return run(job);
      await accountSlots.run(
        accountId,
        () => run(job),
        () => requeue({ id, accountId, wake }),
      );
    }),
  ];

  let sweeping = Promise.resolve();
  const serially = (act: () => Promise<void>) => {
    sweeping = sweeping.then(act).catch((error) => engine.log.warn({ err: error }, "the sweep did not get through"));
  };
  const sweepOnce = () => serially(() => sweep(engine));
  const timers = [
    setInterval(sweepOnce, sweepSeconds * 1000),
    setInterval(() => serially(() => deleteExpiredIdempotencyKeys(engine.db)), HOUR_MS),
  ];
  sweepOnce();
  const stopWatching = startWatching(engine);

  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all([sweeping, stopWatching()]);
    await Promise.all(workers.map((worker) => worker.close()));
  };
}

function startQueueWorker<Cloud>(
  { log }: Engine<Cloud>,
  queue: string,
  { redis, prefix, concurrency }: WorkerOptions,
  process: (job: Job<NotificationData>) => Promise<void>,
): Worker<NotificationData> {
  const worker = new Worker<NotificationData>(queue, process, {
    connection: redis,
    prefix,
    concurrency,
    // A bell is no work: one that its worker took to the grave may be answered again at once, as often as it takes.
    lockDuration: 4_000,
    stalledInterval: 2_000,
    maxStalledCount: 1_000_000,
  });
  return worker.on("error", (error) => log.warn({ err: error }, "the bell cannot be heard"));
}

async function runNotified<Cloud>(engine: Engine<Cloud>, requestId: string): Promise<void> {
  try {
    await runRequest(engine, requestId);
  } catch (error) {
    engine.log.error({ err: error, request: requestId }, "the Request could not be claimed");
    throw new UnrecoverableError("left to the sweeper");
  }
}

/** @returns a function that resolves when nothing is looked at any more */
function startWatching<Cloud>(engine: Engine<Cloud>): () => Promise<void> {
  const stopped = new AbortController();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const isMore = await checkWatches(engine).catch((error) => {
        engine.log.warn({ err: error }, "what Requests wait for was not looked at");
        return false;
      });
      if (!isMore) await sleep(WATCH_INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();
  return () => {
    stopped.abort();
    return watching;
  };
}
