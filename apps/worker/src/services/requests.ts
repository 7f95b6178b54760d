import { startWorker } from "../engine/worker.js";
import type { Service } from "./service.js";

/** Runs Requests: those whose jobs the queue has, and by a sweep those that lost their job. */
export const requests: Service<"engine" | "redis" | "slots" | "env"> = ({ engine, redis, slots, env }) =>
  startWorker(engine, {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: env.WORKER_CONCURRENCY,
    slots,
    sweepSeconds: env.SWEEP_SECONDS,
    kept: {
      completed: { age: env.COMPLETED_JOBS_SECONDS, count: env.COMPLETED_JOBS },
      failed: { age: env.FAILED_JOBS_SECONDS, count: env.FAILED_JOBS },
    },
  });
