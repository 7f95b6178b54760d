import type { Db, Vault } from "@gantry/db";
import type { Bell } from "@gantry/requests";
import type { Env, Log } from "@gantry/runtime";
import type { Redis } from "ioredis";
import type { Finishes } from "../resources/requests/finishes.js";
import type { Identities } from "./identities.js";

/** What the application is given. */
export interface Parts {
  env: Env;
  db: Db;
  bell: Pick<Bell, "ring">;
  redis?: Redis;
  log: Log;
  vault: Vault;
}

/** What handlers find in place, for as long as the process lives. */
export interface House extends Parts {
  identities: Identities;
  finishes: Finishes;
}
