import type { Component, ComponentOptions } from "@gantry/local-stack";
import type { SupervisedProcess } from "../process-supervisor.js";

/** Starts a server: at first, and again after each kill. */
export type Launch = () => Promise<SupervisedProcess>;

/** The PostgreSQL and Redis servers of a campaign. */
export interface Stores {
  /** PostgreSQL's own address, with the name of the tables' owner. */
  databaseUrl: string;
  /** The address that the apps use. */
  appUrl: URL;
  redisUrl: string;
  /** Further settings of the apps. */
  settings: Record<string, string>;
  /** The servers by their names. */
  servers: Record<string, Launch>;
  /** Makes the servers work together when all of them have started. */
  connect?: () => Promise<void>;
  /** Return the server that a kill of Redis, or of PostgreSQL, hits. */
  victims: Record<"redis" | "postgres", () => Promise<string>>;
}

/** Where servers keep their data, and their environment. */
export type StoreOptions = Pick<ComponentOptions, "folder" | "environment">;

export function supervised({ pid, stop, kill }: Component): SupervisedProcess {
  return { pid, stop, kill, exited: new Promise(() => {}) };
}
