import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Returns the start time of the process `pid` as an opaque string, or undefined if there is no such process. A pid
 * together with its start time is unique, whereas another process can reuse the pid.
 */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return startTimeFromProc(pid);
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return stdout?.trim() || undefined;
}

/** Returns the command line of the process `pid`, or undefined if it is not readable. */
export function commandLineOf(pid: number): string | undefined {
  if (process.platform === "linux") return read(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ");
  const { stdout } = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  return stdout?.trim() || undefined;
}

function startTimeFromProc(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X"
    ? undefined
    : `${read("/proc/sys/kernel/random/boot_id")?.trim()}:${fields[18]}`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns whether the process with this pid and start time is running. */
export function isRunning({ pid, started }: { pid: number; started: string }): boolean {
  return startTimeOf(pid) === started;
}
