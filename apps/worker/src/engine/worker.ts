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
/** The pause between two rounds of watches when no more are due. */
const WATCH_INTERVAL_MS = 1000;

export interface WorkerOptions {
  /** A connection that the worker alone uses. */
  redis: Redis;
  prefix: string;
  /** The most Requests that run at a time. */
  concurrency: number;
  sweepSeconds: number;
  /** Sends a notification again with low priority. */
  requeue(notification: Notification): void;
}

/**
 * Runs the Requests that notifications name, sweeps for Requests whose notification was lost, and checks watches.
 *
 * @returns a function that claims no more Requests, lets those under way go back, and resolves when nothing runs
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
      const requeueJob = () => requeue({ id, accountId, wake });
      await accountSlots.run(accountId, () => run(job), requeueJob);
    }),
  ];

  let sweeping = Promise.resolve();
  const serially = (work: () => Promise<void>) => {
    sweeping = sweeping.then(work).catch((error) => engine.log.warn({ err: error }, "sweep failed"));
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
    // A notification holds no work: another worker may handle one of a dead worker at once, any number of times.
    lockDuration: 4_000,
    stalledInterval: 2_000,
    maxStalledCount: 1_000_000,
  });
  return worker.on("error", (error) => log.warn({ err: error }, "queue connection error"));
}

async function runNotified<Cloud>(engine: Engine<Cloud>, requestId: string): Promise<void> {
  try {
    await runRequest(engine, requestId);
  } catch (error) {
    engine.log.error({ err: error, request: requestId }, "claim failed");
    throw new UnrecoverableError("left to the sweeper");
  }
}

/** @returns a function that stops the checks and resolves when none is under way */
function startWatching<Cloud>(engine: Engine<Cloud>): () => Promise<void> {
  const stopped = new AbortController();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const isMore = await checkWatches(engine).catch((error) => {
        engine.log.warn({ err: error }, "checking watches failed");
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
