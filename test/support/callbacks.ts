import { buildApp } from "@gantry/api";
import { Vault } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { openPort } from "./port.js";
import { recordJobs } from "./recorded-jobs.js";
import { type TestDatabase, testEnv, testKeys, testLog } from "./stack.js";

/** The API on a port of this machine, over a test's database, for the reports of the emulated servers. */
export interface CallbackApi {
  /** The settings of workers whose servers report to this API. */
  env: Env;
  stop(): Promise<void>;
}

export async function startCallbackApi(database: TestDatabase): Promise<CallbackApi> {
  const port = await openPort();
  const env = testEnv(database, { BASE_URL: port.url });
  const vault = new Vault(env.MASTER_KEY);
  const { app, close } = buildApp({
    env,
    db: database.db,
    jobs: recordJobs(),
    log: testLog,
    vault,
    keys: testKeys,
  });
  port.serve(app);
  return {
    env,
    stop: async () => {
      await port.close();
      await close();
    },
  };
}
