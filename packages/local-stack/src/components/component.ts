import getPort from "get-port";
import type { RunningProcess } from "../processes/start.js";

/** One server of the stack, in a process of its own. */
export interface Component {
  name: string;
  url: string;
  pid: number;
  /** The signal on which it stops in good order. */
  signal: NodeJS.Signals;
  /** Ends it in good order and waits until it is gone. */
  stop(): Promise<void>;
  /** Ends it as a crash would (SIGKILL) and waits until it is gone. */
  kill(): Promise<void>;
}

export interface ComponentOptions {
  /** Where it keeps its data and its log; made when missing. */
  folder: string;
  /** What its process gets as environment, and where its program is looked for (`PATH`). */
  environment: NodeJS.ProcessEnv;
  /** A port of 127.0.0.1; a free one when left out. */
  port?: number;
}

export function toComponent(url: string, { identity, stop, kill }: RunningProcess): Component {
  return { name: identity.name, url, pid: identity.pid, signal: identity.signal, stop, kill };
}

/** A port of 127.0.0.1 that nobody listens on, and that is given to nobody else for a while. */
export function freePort(): Promise<number> {
  return getPort({ host: "127.0.0.1" });
}
