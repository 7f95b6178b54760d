import { setTimeout as sleep } from "node:timers/promises";
import { type BellData, QUEUES, type Ring } from "@gantry/requests";
import { type Job, UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import { calm } from "./calm.js";
import type { Engine } from "./engine.js";
import { divide, PromptSlots } from "./prompt-slots.js";
import { runRequest } from "./run.js";
import { forgetOldKeys, sweep } from "./sweep.js";
import { lookAround } from "./watch.js";

const HOUR_MS = 3_600_000;
/** How long nobody looks at what is waited for, once everything due was looked at. */
const WATCH_PAUSE_MS = 1000;

export interface WorkerOptions {
  /** A connection of the worker's own. */
  redis: Redis;
  prefix: string;
  /** How many Requests it runs at a time. */
  concurrency: number;
  sweepSeconds: number;
  /** Rings again, behind all that is not a flood. */
  passOn(ring: Ring): void;
}

/**
 * Answers bells and sweeps for Requests whose bell was lost.
 *
 * @returns a function that takes no more Requests, gives back those under way, and resolves when all is still
 */
export function startWorker<Cloud>(engine: Engine<Cloud>, options: WorkerOptions): () => Promise<void> {
  const { sweepSeconds, passOn } = options;
  const slots = divide(options.concurrency);
  const promptSlots = new PromptSlots(slots.prompt);
  const run = (job: Job<BellData>) => answer(engine, job.data.requestId);
  const workers = [
    listen(engine, QUEUES.bulk, { ...options, concurrency: slots.bulk }, async (job) => {
      await calm();
      await run(job);
    }),
    listen(engine, QUEUES.prompt, { ...options, concurrency: slots.prompt }, async (job) => {
      const { requestId: id, accountId, wake } = job.data;
      if (accountId === undefined || wake === undefined) return run(job);
      await promptSlots.use(
        accountId,
        () => run(job),
        () => passOn({ id, accountId, wake }),
      );
    }),
  ];

  let sweeping = Promise.resolve();
  const inTurn = (act: () => Promise<void>) => {
    sweeping = sweeping.then(act).catch((error) => engine.log.warn({ err: error }, "the sweep did not get through"));
  };
  const sweepOnce = () => inTurn(() => sweep(engine));
  const timers = [
    setInterval(sweepOnce, sweepSeconds * 1000),
    setInterval(() => inTurn(() => forgetOldKeys(engine.db)), HOUR_MS),
  ];
  sweepOnce();
  const stopWatching = startWatching(engine);

  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all([sweeping, stopWatching()]);
    await Promise.all(workers.map((worker) => worker.close()));
  };
}

function listen<Cloud>(
  { log }: Engine<Cloud>,
  queue: string,
  { redis, prefix, concurrency }: WorkerOptions,
  hear: (job: Job<BellData>) => Promise<void>,
): Worker<BellData> {
  const worker = new Worker<BellData>(queue, hear, {
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

async function answer<Cloud>(engine: Engine<Cloud>, requestId: string): Promise<void> {
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
      const isMore = await lookAround(engine).catch((error) => {
        engine.log.warn({ err: error }, "what Requests wait for was not looked at");
        return false;
      });
      if (!isMore) await sleep(WATCH_PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();
  return () => {
    stopped.abort();
    return watching;
  };
}
