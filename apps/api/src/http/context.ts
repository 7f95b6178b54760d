import type { Db, InstallationKeys, Vault } from "@gantry/db";
import type { JobQueues } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import type { Redis } from "ioredis";
import type { EventFeed } from "./event-feed.js";
import type { Identities } from "./identities.js";
import type { OpenRequestLimit } from "./open-request-limit.js";
import type { RequestCompletions } from "./request-completions.js";
import type { Throttle } from "./throttle.js";
import type { WaitingLimit } from "./waiting-limit.js";

/** The dependencies of the application. */
export interface AppDependencies {
  env: Env;
  db: Db;
  jobs: Pick<JobQueues, "add" | "wake" | "notifyWebhooks">;
  redis?: Redis | undefined;
  log: Log;
  vault: Vault;
  keys: InstallationKeys;
}

/** The context of every handler, for the lifetime of the process. */
export interface AppContext extends AppDependencies {
  identities: Identities;
  completions: RequestCompletions;
  throttle: Throttle;
  openRequests: OpenRequestLimit;
  events: EventFeed;
  waiting: WaitingLimit;
}
