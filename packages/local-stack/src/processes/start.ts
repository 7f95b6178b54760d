import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeArguments } from "./node-arguments.js";
import { registerProcess, unregisterProcess } from "./reaper-client.js";
import { identify, type ProcessIdentity, sendSignal, terminate } from "./terminate.js";

export interface ProcessOptions {
  name: string;
  command: string;
  args: string[];
  environment: NodeJS.ProcessEnv;
  /** Where its output goes; overwritten. */
  logFile: string;
  /** The signal on which it stops in good order. */
  signal?: NodeJS.Signals;
  owner?: { uid: number; gid: number } | undefined;
  cwd?: string;
  /** Opens a message channel that closes when either side dies. */
  channel?: boolean;
  /** Resolves once the process serves; called again every 20 ms while it rejects. */
  ready: (child: ChildProcess) => Promise<unknown>;
  readyWithinMs?: number;
}

/** A running process that this one started. */
export interface RunningProcess {
  identity: ProcessIdentity;
  /** Ends it in good order, by force after five seconds. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/**
 * Starts a process in a group of its own, so that Ctrl-C reaches only us and the order of ending is ours, and waits until it serves.
 * Throws one sentence with the last line of its output when it ends or stays silent instead.
 */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { name, command, args, environment, logFile, owner, cwd, channel, signal = "SIGTERM" } = options;
  const log = openSync(logFile, "w");
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

  const served = await Promise.race([waitUntilReady(child, options), exited.then(() => false)]);
  if (!target || !served) {
    if (target) await terminate(target, { graceMs: 0 });
    throw new Error(`${name} did not start: ${lastLine(logFile) || `${command} could not be run`} (see ${logFile}).`);
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

/** Starts a module of this package in a Node process of its own; it says `"ready"` to its parent once it serves. */
export function startNode(
  module: string,
  args: string[],
  options: Omit<ProcessOptions, "command" | "args" | "ready">,
): Promise<RunningProcess> {
  const ready = (child: ChildProcess) => new Promise((resolve) => child.once("message", resolve));
  const command = [...nodeArguments(module), ...args];
  return startProcess({ ...options, command: process.execPath, args: command, channel: true, ready });
}

async function waitUntilReady(
  child: ChildProcess,
  { ready, readyWithinMs = 30_000 }: ProcessOptions,
): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const left = new AbortController();
    const tooLate = sleep(deadline - Date.now(), "late" as const, { signal: left.signal }).catch(() => "late" as const);
    const answer = await Promise.race([
      ready(child).then(
        () => "ready" as const,
        () => "not yet" as const,
      ),
      tooLate,
    ]);
    left.abort();
    if (answer === "ready") return true;
    if (answer === "not yet") await sleep(20);
  }
  return false;
}

function lastLine(file: string): string {
  return readFileSync(file, "utf8").trim().split("\n").at(-1)?.trim() ?? "";
}
