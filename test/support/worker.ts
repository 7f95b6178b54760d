import { RequestNotifier } from "@gantry/requests";
import type { Env } from "@gantry/runtime";
import { startApp } from "@gantry/worker";
import { testLog } from "./stack.js";

/** A worker in this process with the notifier of its queue. */
export interface TestWorker {
  notifier: RequestNotifier;
  stop(): Promise<void>;
}

export function startTestWorker(env: Env): TestWorker {
  const notifier = new RequestNotifier(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const start = startApp(env, testLog);
  return {
    notifier,
    stop: async () => {
      await (await start)();
      await notifier.close();
    },
  };
}
