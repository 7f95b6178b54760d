import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { moduleArguments } from "./node-arguments.js";
import { identify, type ProcessIdentity } from "./terminate.js";

let reaper: ChildProcessByStdio<Writable, null, null> | undefined;
const registered = new Set<number>();

/** Makes the reaper terminate the process when this one exits in any way. */
export function registerProcess(target: ProcessIdentity, environment: NodeJS.ProcessEnv): void {
  reaper ??= startReaper(environment);
  registered.add(target.pid);
  send({ register: target });
}

/** Unregisters a process that has exited; the reaper exits with the last one. */
export function unregisterProcess(pid: number): void {
  if (!registered.delete(pid)) return;
  send({ unregister: pid });
  if (registered.size > 0) return;
  reaper?.stdin.end();
  reaper = undefined;
}

/**
 * Makes the reaper kill the running process `pid` when this one exits in any way: for a process that cannot notice it, as a
 * stopped one. Returns a function that undoes it.
 */
export function killOnExit(pid: number, environment: NodeJS.ProcessEnv): () => void {
  const target = identify(String(pid), pid, "SIGKILL");
  if (target) registerProcess(target, environment);
  return () => unregisterProcess(pid);
}

function send(message: { register: ProcessIdentity } | { unregister: number }): void {
  reaper?.stdin.write(`${JSON.stringify(message)}\n`);
}

function startReaper(environment: NodeJS.ProcessEnv): ChildProcessByStdio<Writable, null, null> {
  const child = spawn(process.execPath, moduleArguments("processes/reaper"), {
    detached: true,
    env: environment,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  child.unref();
  return child;
}
