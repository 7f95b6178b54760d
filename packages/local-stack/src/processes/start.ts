import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PortInUse } from "../ports.js";
import { moduleArguments } from "./node-arguments.js";
import { registerProcess, unregisterProcess } from "./reaper-client.js";
import { identify, type ProcessIdentity, sendSignal, terminate } from "./terminate.js";

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Receives the output; overwritten. */
  logFile: string;
  /** The signal for a graceful shutdown. */
  signal?: NodeJS.Signals;
  owner?: { uid: number; gid: number } | undefined;
  cwd?: string;
  /** Opens an IPC channel, which closes when either process exits. */
  channel?: boolean;
  /** Resolves once the process is ready; called again every 20 ms while it rejects. */
  ready: (child: ChildProcess) => Promise<unknown>;
}

/** A running child process. */
export interface RunningProcess {
  identity: ProcessIdentity;
  /** Shuts the process down gracefully, and kills it after twenty seconds. */
  stop(): Promise<void>;
  /** Kills the process. */
  kill(): Promise<void>;
}

/**
 * Starts a process and waits until it is ready. The process gets its own process group, so that Ctrl-C reaches only this one,
 * which stops the others in order. Throws an Error with the errors in the output if the process exits or does not get ready, and
 * `PortInUse` if its port was in use.
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { name, command, args, environment, logFile, owner, cwd, channel, signal = "SIGTERM" } = options;
  const log = openSync(logFile, "w", 0o600);
  const child = spawn(command, args, {
    ...owner,
    ...(cwd && { cwd }),
    detached: true,
    env: environment,
    stdio: ["ignore", log, log, channel ? "ipc" : "ignore"],
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const target = child.pid === undefined ? undefined : identify(name, child.pid, signal);
  if (target) registerProcess(target, environment);
  void exited.then(() => target && unregisterProcess(target.pid));
  child.unref();
  child.channel?.unref();

  const isReady = await waitUntilReady(child, exited, options);
  if (!target || !isReady) {
    if (target) await terminate(target, { graceMs: 0 });
    const output = readFileSync(logFile, "utf8");
    const Failure = ADDRESS_IN_USE.test(output) ? PortInUse : Error;
    throw new Failure(`${name} did not start: ${errorsIn(output) || `${command} could not be run`} (see ${logFile}).`);
  }
  return {
    identity: target,
    stop: async () => {
      child.ref();
      await terminate(target);
      await exited;
    },
    kill: () => {
      child.ref();
      sendSignal(target, "SIGKILL");
      return exited;
    },
  };
}

/**
 * Starts a module of this package in a Node process. It is ready with its first message, unless `ready` says otherwise.
 */
export function startNode(
  module: string,
  args: string[],
  options: Omit<ProcessOptions, "command" | "args" | "ready"> & Partial<Pick<ProcessOptions, "ready">>,
): Promise<RunningProcess> {
  const ready = options.ready ?? ((child: ChildProcess) => new Promise((resolve) => child.once("message", resolve)));
  const command = [...moduleArguments(module), ...args];
  return startProcess({ ...options, command: process.execPath, args: command, channel: true, ready });
}

/** Only a process that hangs takes so long to start, however busy the machine is. */
const START_TIMEOUT_MS = 180_000;

async function waitUntilReady(child: ChildProcess, exited: Promise<void>, { ready }: ProcessOptions): Promise<boolean> {
  const over = new AbortController();
  const timeout = sleep(START_TIMEOUT_MS, "over", { signal: over.signal }).catch(() => "over");
  const end = Promise.race([timeout, exited.then(() => "over")]);
  for (;;) {
    const attempt = ready(child).then(
      () => "ready",
      () => "not ready",
    );
    const result = await Promise.race([attempt, end]);
    if (result !== "not ready") {
      over.abort();
      return result === "ready";
    }
    await sleep(20);
  }
}

/** What PostgreSQL, Redis, Valkey, Node and Python say of a port on which another program listens. */
const ADDRESS_IN_USE = /address already in use/i;
const MAX_LINES = 10;

/** Returns the lines that report errors, else the last line: the last one often says only that the program ends. */
function errorsIn(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|\w*Error):/.test(line) || ADDRESS_IN_USE.test(line));
  return (errors.length > 0 ? errors.slice(-MAX_LINES) : lines.slice(-1)).join("\n");
}
