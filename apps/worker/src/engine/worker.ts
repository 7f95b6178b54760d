import { setTimeout as sleep } from "node:timers/promises";
import type { RedisConnection } from "@gantry/requests";
import { QUEUE } from "@gantry/requests";
import { type KeepJobs, Worker } from "bullmq";
import type { AccountSlots } from "./account-slots.js";
import type { Engine } from "./engine.js";
import { jobRunner } from "./job-runner.js";
import { deleteExpiredIdempotencyKeys, sweep } from "./sweep.js";
import { checkWatches } from "./watch.js";

const HOUR_MS = 3_600_000;
/** The pause between two rounds of watches when no more are due. */
const WATCH_INTERVAL_MS = 1000;

export interface WorkerOptions {
  /** A connection that only the worker uses. */
  redis: RedisConnection;
  prefix: string;
  /** The most Requests that run at a time. */
  concurrency: number;
  /** The slots of accounts in it. */
  slots: AccountSlots;
  sweepSeconds: number;
  /** How many jobs of ended Requests are kept, and for how many seconds. */
  kept: { completed: KeepJobs; failed: KeepJobs };
}

/**
 * Runs the Requests of the queue's jobs, sweeps for Requests whose job was lost, and checks watches.
 *
 * @returns a function that claims no more Requests, releases those under way, and resolves when nothing runs
 */
export function startWorker<Cloud>(engine: Engine<Cloud>, options: WorkerOptions): () => Promise<void> {
  const { sweepSeconds } = options;
  const worker = startQueueWorker(engine, options);

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
    // Closing comes first: a worker that is stopping would take again the jobs that it releases.
    await Promise.all([worker.close(), sweeping, stopWatching()]);
  };
}

function startQueueWorker<Cloud>(
  engine: Engine<Cloud>,
  { redis, prefix, concurrency, slots, kept }: WorkerOptions,
): Worker {
  const worker = new Worker(QUEUE, jobRunner(engine, slots), {
    connection: redis,
    prefix,
    concurrency,
    removeOnComplete: kept.completed,
    removeOnFail: kept.failed,
    // Another worker gets the job of a dead worker at once, and its Request when its lease has ended.
    lockDuration: 5000,
    stalledInterval: 2000,
    maxStalledCount: 1_000_000,
  });
  return worker.on("error", (error) => engine.log.warn({ err: error }, "queue connection error"));
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
