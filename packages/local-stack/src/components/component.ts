import getPort from "get-port";
import type { RunningProcess } from "../processes/start.js";

/** A server process of the stack. */
export interface Component {
  name: string;
  url: string;
  pid: number;
  /** The signal for a graceful shutdown. */
  signal: NodeJS.Signals;
  /** Shuts the process down gracefully and waits for its exit. */
  stop(): Promise<void>;
  /** Kills the process (SIGKILL) and waits for its exit. */
  kill(): Promise<void>;
}

export interface ComponentOptions {
  /** The folder of data and log; created when missing. */
  folder: string;
  /** The environment of the process; its `PATH` is searched for the program. */
  environment: NodeJS.ProcessEnv;
  /** A port of 127.0.0.1; a free one by default. */
  port?: number;
}

export function toComponent(url: string, { identity, stop, kill }: RunningProcess): Component {
  return { name: identity.name, url, pid: identity.pid, signal: identity.signal, stop, kill };
}

/** Returns a port of 127.0.0.1 without a listener; this process gets no port twice within 15 seconds. */
export function freePort(): Promise<number> {
  return getPort({ host: "127.0.0.1" });
}
