import type { Db, Vault } from "@gantry/db";
import type { RequestNotifier } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import type { Redis } from "ioredis";
import type { Identities } from "./identities.js";
import type { RequestCompletions } from "./request-completions.js";

/** What the application is given. */
export interface AppDependencies {
  env: Env;
  db: Db;
  notifier: Pick<RequestNotifier, "notify">;
  redis?: Redis;
  log: Log;
  vault: Vault;
}

/** What handlers find in place, for as long as the process lives. */
export interface AppContext extends AppDependencies {
  identities: Identities;
  completions: RequestCompletions;
}
