import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, startTimeOf } from "./identity.js";

/** Identifies a process also after another one has reused its pid. */
export interface ProcessIdentity {
  name: string;
  pid: number;
  started: string;
  /** The signal for a graceful shutdown. */
  signal: NodeJS.Signals;
}

/** Returns the identity of a started process, or undefined when the process has exited. */
export function identify(name: string, pid: number, signal: NodeJS.Signals): ProcessIdentity | undefined {
  const started = startTimeOf(pid);
  return started === undefined ? undefined : { name, pid, started, signal };
}

/** Terminates a process by its own signal, after `graceMs` by SIGKILL; never hits another process with the same pid. */
export async function terminate(target: ProcessIdentity, { graceMs = 20_000 } = {}): Promise<void> {
  sendSignal(target, target.signal);
  if (await waitForExit(target, graceMs)) return;
  sendSignal(target, "SIGKILL");
  await waitForExit(target, 5000);
}

/** Waits for the exit of the process; returns false when the process still runs after `withinMs`. */
export async function waitForExit(target: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isRunning(target)) {
    if (Date.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}

export function sendSignal(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
