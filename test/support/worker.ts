import { Bell } from "@gantry/requests";
import type { Env } from "@gantry/runtime";
import { startApp } from "../../apps/worker/src/app.js";
import { type TestDatabase, testLog } from "./stack.js";

/** A worker in this process, and a bell to ring it with. */
export interface TestWorker {
  bell: Bell;
  stop(): Promise<void>;
}

export function startTestWorker(
  _database: TestDatabase,
  env: Env,
  changes: Parameters<typeof startApp>[2] = {},
): TestWorker {
  const bell = new Bell(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const stop = startApp(env, testLog, changes);
  return {
    bell,
    stop: async () => {
      await stop();
      await bell.close();
    },
  };
}
