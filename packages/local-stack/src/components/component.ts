import type { PortOptions } from "../ports.js";
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

export interface ComponentOptions extends PortOptions {
  /** The folder of data and log; created when missing. */
  folder: string;
  /** The environment of the process; its `PATH` is searched for the program. */
  environment: NodeJS.ProcessEnv;
}

export function toComponent(url: string, { identity, stop, kill }: RunningProcess): Component {
  return { name: identity.name, url, pid: identity.pid, signal: identity.signal, stop, kill };
}
