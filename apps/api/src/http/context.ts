import type { Db, InstallationKeys, Vault } from "@gantry/db";
import type { JobQueues, RedisConnection } from "@gantry/queue";
import type { Env, Log } from "@gantry/runtime";
import type { Identities } from "./auth/identities.js";
import type { TrustedIssuers } from "./auth/trusted-issuers.js";
import type { EventFeed } from "./events/event-feed.js";
import type { RequestCompletions } from "./events/request-completions.js";
import type { Throttle } from "./limits/throttle.js";
import type { UnfinishedRequestLimit } from "./limits/unfinished-request-limit.js";
import type { WaitingLimit } from "./limits/waiting-limit.js";

/** The dependencies of the application. */
export interface AppDependencies {
  env: Env;
  db: Db;
  jobs: Pick<JobQueues, "add" | "wake" | "notifyWebhooks">;
  redis?: RedisConnection | undefined;
  log: Log;
  vault: Vault;
  keys: InstallationKeys;
}

/** The context of every handler, for the lifetime of the process. */
export interface AppContext extends AppDependencies {
  identities: Identities;
  completions: RequestCompletions;
  throttle: Throttle;
  trustedIssuers: TrustedIssuers;
  unfinishedRequests: UnfinishedRequestLimit;
  events: EventFeed;
  waiting: WaitingLimit;
}
