import type { Db } from "@gantry/db";
import type { JobQueues, RedisConnection } from "@gantry/queue";
import type { Env, Log } from "@gantry/runtime";
import type { Aws } from "../aws/clients.js";
import type { AccountSlots } from "../engine/account-slots.js";
import type { Engine } from "../engine/engine.js";

/** What the services of a worker share. */
export interface WorkerContext {
  env: Env;
  log: Log;
  db: Db;
  jobs: JobQueues;
  /** A connection that only the queue of Requests uses. */
  redis: RedisConnection;
  engine: Engine<Aws>;
  slots: AccountSlots;
}

/**
 * A part of what a worker does, from its start on.
 *
 * @returns a function that stops it and resolves when nothing of it is under way
 */
export type Service<Needs extends keyof WorkerContext = keyof WorkerContext> = (
  context: Pick<WorkerContext, Needs>,
) => () => Promise<void>;
