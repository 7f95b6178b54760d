import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, startTimeOf } from "./processes/identity.js";
import { type ProcessIdentity, terminate } from "./processes/terminate.js";

export const LOCK_FILE = "stack.json";

interface LockHolder {
  pid: number;
  started: string;
  processes: ProcessIdentity[];
}

/** A folder held by this process; `processes` are written down so that the next start can end what a crash left. */
export interface StackLock {
  recordProcesses(processes: ProcessIdentity[]): void;
  release(): void;
}

/**
 * Takes `folder` for this process. What a crashed holder left running is ended first.
 * Throws one sentence when a living process holds it.
 */
export async function lockFolder(folder: string): Promise<StackLock> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, LOCK_FILE);
  const self = { pid: process.pid, started: startTimeOf(process.pid) ?? "", processes: [] as ProcessIdentity[] };
  for (;;) {
    if (createLockFile(file, self)) break;
    const holder = readLockFile(file);
    if (holder && isRunning(holder)) {
      throw new Error(
        `A local stack is already running on ${folder} (process ${holder.pid}): stop it first, or use another folder.`,
      );
    }
    await Promise.all((holder?.processes ?? []).map((left) => terminate(left)));
    removeStaleLockFile(file, holder);
  }
  return {
    recordProcesses: (processes) => {
      self.processes = processes;
      replaceLockFile(file, self);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/** Writing aside and linking makes the file appear whole or not at all, and only once. */
function createLockFile(file: string, holder: LockHolder): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replaceLockFile(file: string, holder: LockHolder): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  renameSync(draft, file);
}

function readLockFile(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as LockHolder;
  } catch {
    return undefined;
  }
}

/** Takes a dead holder's file away; when another start was faster and the file is its own by now, it is put back. */
function removeStaleLockFile(file: string, holder: LockHolder | undefined): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    const moved = readLockFile(aside);
    if (moved && (moved.pid !== holder?.pid || moved.started !== holder.started)) linkSync(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
