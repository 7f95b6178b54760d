import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * When the process `pid` began, as text that only ever equals itself, or undefined when there is none.
 * A pid is reused by strangers; a pid together with this is not.
 */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === "linux") return startTimeFromProc(pid);
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return stdout?.trim() || undefined;
}

/** The command line of the process `pid`; undefined when there is none or it may not be seen. */
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

/** Whether the very process that had this pid and start is still running. */
export function isRunning({ pid, started }: { pid: number; started: string }): boolean {
  return startTimeOf(pid) === started;
}
