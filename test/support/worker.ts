import { JobQueues } from "@gantry/queue";
import type { Env } from "@gantry/runtime";
import { startApp } from "@gantry/worker";
import { testLog } from "./stack.js";

/** A worker in this process with its queue. */
export interface TestWorker {
  jobs: JobQueues;
  stop(): Promise<void>;
}

export function startTestWorker(env: Env): TestWorker {
  const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const start = startApp(env, testLog);
  return {
    jobs,
    stop: async () => {
      await (await start)();
      await jobs.close();
    },
  };
}
