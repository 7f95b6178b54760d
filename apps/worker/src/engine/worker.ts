import type { RedisConnection } from "@gantry/queue";
import { QUEUE, QueueWorker } from "@gantry/queue";
import { repeat } from "@gantry/runtime";
import type { KeepJobs } from "bullmq";
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
 * Runs the Requests of the queue's jobs, sweeps for Requests that lost their job, and checks watches.
 *
 * @returns a function that claims no more Requests, releases those under way, and resolves when nothing runs
 */
export function startWorker<Cloud>(engine: Engine<Cloud>, options: WorkerOptions): () => Promise<void> {
  const { sweepSeconds } = options;
  const { db, log } = engine;
  const worker = startQueueWorker(engine, options);
  const repetitions = [
    repeat({ everyMs: sweepSeconds * 1000, log, name: "sweep" }, () => sweep(engine)),
    repeat({ everyMs: WATCH_INTERVAL_MS, log, name: "check of watches" }, () => checkWatches(engine)),
    repeat({ everyMs: HOUR_MS, log, name: "removal of idempotency keys" }, () => deleteExpiredIdempotencyKeys(db)),
  ];
  for (const { run } of repetitions) run();

  return async () => {
    // Closing comes first: a worker that is stopping would take again the jobs that it releases.
    await Promise.all([worker.close(), ...repetitions.map(({ stop }) => stop())]);
  };
}

function startQueueWorker<Cloud>(engine: Engine<Cloud>, { redis, prefix, concurrency, slots, kept }: WorkerOptions) {
  return new QueueWorker(QUEUE, jobRunner(engine, slots), engine.log, {
    connection: redis,
    prefix,
    concurrency,
    removeOnComplete: kept.completed,
    removeOnFail: kept.failed,
    // Another worker gets the job of a dead worker at once, and its Request when its lease has ended.
    lockDuration: 2000,
    stalledInterval: 1000,
    maxStalledCount: 1_000_000,
  });
}
