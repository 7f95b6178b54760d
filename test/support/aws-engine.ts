import { deriveInstallationKeys } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { type Aws, awsEngine } from "@gantry/worker";
import type { Engine } from "@gantry/worker/engine";
import { recordJobs } from "./recorded-jobs.js";
import { type TestDatabase, testLog } from "./stack.js";

/** The worker's engine on the emulated AWS, without a queue. */
export function testAwsEngine({ db }: Pick<TestDatabase, "db">, env: Env): Engine<Aws> {
  const keys = deriveInstallationKeys(env.MASTER_KEY[0] as Uint8Array);
  return awsEngine(env, { db, jobs: recordJobs(), log: testLog, keys, isStopping: () => false });
}
