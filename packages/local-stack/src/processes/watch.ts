import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { KnownProcess } from "./end.js";
import { nodeArguments } from "./node-arguments.js";

let watchdog: ChildProcessByStdio<Writable, null, null> | undefined;
const watched = new Set<number>();

/** Has the process ended when this one dies, however it dies. */
export function watch(target: KnownProcess, environment: NodeJS.ProcessEnv): void {
  watchdog ??= startWatchdog(environment);
  watched.add(target.pid);
  tell({ watch: target });
}

/** Takes a process that has ended off the list; the watchdog leaves with the last one. */
export function forget(pid: number): void {
  if (!watched.delete(pid)) return;
  tell({ forget: pid });
  if (watched.size > 0) return;
  watchdog?.stdin.end();
  watchdog = undefined;
}

function tell(message: { watch: KnownProcess } | { forget: number }): void {
  watchdog?.stdin.write(`${JSON.stringify(message)}\n`);
}

function startWatchdog(environment: NodeJS.ProcessEnv): ChildProcessByStdio<Writable, null, null> {
  const child = spawn(process.execPath, nodeArguments("processes/watchdog"), {
    detached: true,
    env: environment,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  child.unref();
  return child;
}
