import { QUEUE } from "@gantry/requests";
import { UnrecoverableError, Worker } from "bullmq";
import type { Redis } from "ioredis";
import type { Engine } from "./engine.js";
import { runRequest } from "./run.js";
import { forgetOldKeys, sweep } from "./sweep.js";

const HOUR_MS = 3_600_000;

export interface WorkerOptions {
  /** A connection of the worker's own. */
  redis: Redis;
  prefix: string;
  /** How many Requests it runs at a time. */
  concurrency: number;
  sweepSeconds: number;
}

/**
 * Answers bells and sweeps for Requests whose bell was lost.
 *
 * @returns a function that takes no more Requests, gives back those under way, and resolves when all is still
 */
export function startWorker<Cloud>(engine: Engine<Cloud>, options: WorkerOptions): () => Promise<void> {
  const { redis, prefix, concurrency, sweepSeconds } = options;
  const worker = new Worker<{ requestId: string }>(
    QUEUE,
    async (job) => {
      try {
        await runRequest(engine, job.data.requestId);
      } catch (error) {
        engine.log.error({ err: error, request: job.data.requestId }, "the Request could not be claimed");
        throw new UnrecoverableError("left to the sweeper");
      }
    },
    {
      connection: redis,
      prefix,
      concurrency,
      // A bell is no work: one that its worker took to the grave may be answered again at once, as often as it takes.
      lockDuration: 10_000,
      stalledInterval: 5_000,
      maxStalledCount: 1_000_000,
    },
  );
  worker.on("error", (error) => engine.log.warn({ err: error }, "the bell cannot be heard"));

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

  return async () => {
    for (const timer of timers) clearInterval(timer);
    await sweeping;
    await worker.close();
  };
}
