import { readFileSync } from "node:fs";

/** The memory of a process in MB: what is resident now, or with `VmHWM` the most so far. */
export function megabytesOf(pid: number | undefined, field: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
