import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, startTimeOf } from "./identity.js";

/** A process that is known well enough to end it without hitting a stranger that got its pid. */
export interface ProcessIdentity {
  name: string;
  pid: number;
  started: string;
  /** The signal on which it stops in good order. */
  signal: NodeJS.Signals;
}

/** Describes a process just started; undefined when it is already gone. */
export function identify(name: string, pid: number, signal: NodeJS.Signals): ProcessIdentity | undefined {
  const started = startTimeOf(pid);
  return started === undefined ? undefined : { name, pid, started, signal };
}

/** Ends a process: its own signal first, SIGKILL after `graceMs`. One that is gone, or is another one by now, is left alone. */
export async function terminate(target: ProcessIdentity, { graceMs = 5000 } = {}): Promise<void> {
  sendSignal(target, target.signal);
  if (await waitForExit(target, graceMs)) return;
  sendSignal(target, "SIGKILL");
  await waitForExit(target, 5000);
}

/** Waits until the process is gone; false when it is still there after `withinMs`. */
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
