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

/** The lock of this process on a folder. After a crash the next start terminates the recorded processes. */
export interface StackLock {
  recordProcesses(processes: ProcessIdentity[]): void;
  release(): void;
}

/**
 * Locks `folder` for this process, and terminates the recorded processes of a crashed holder. Throws an Error with a remedy
 * when a running process holds the lock.
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
        `A local stack is already running in ${folder} (process ${holder.pid}). Stop it first, or use another folder.`,
      );
    }
    await Promise.all((holder?.processes ?? []).map((orphan) => terminate(orphan)));
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

/** Creates the file atomically with its whole content, by a link; returns false when the file exists. */
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

/** Removes the file of an exited holder; restores the file when another start has replaced it in the meantime. */
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
