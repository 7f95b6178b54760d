import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { end, type KnownProcess } from "./processes/end.js";
import { isRunning, startOf } from "./processes/identity.js";

export const LOCK_FILE = "stack.json";

interface Holder {
  pid: number;
  started: string;
  processes: KnownProcess[];
}

/** A folder held by this process; `processes` are written down so that the next start can end what a crash left. */
export interface StackLock {
  note(processes: KnownProcess[]): void;
  release(): void;
}

/**
 * Takes `folder` for this process. What a crashed holder left running is ended first.
 * Throws one sentence when a living process holds it.
 */
export async function lockFolder(folder: string): Promise<StackLock> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, LOCK_FILE);
  const mine = { pid: process.pid, started: startOf(process.pid) ?? "", processes: [] as KnownProcess[] };
  for (;;) {
    if (take(file, mine)) break;
    const holder = read(file);
    if (holder && isRunning(holder)) {
      throw new Error(
        `A local stack is already running on ${folder} (process ${holder.pid}): stop it first, or use another folder.`,
      );
    }
    await Promise.all((holder?.processes ?? []).map((left) => end(left)));
    discard(file, holder);
  }
  return {
    note: (processes) => {
      mine.processes = processes;
      replace(file, mine);
    },
    release: () => rmSync(file, { force: true }),
  };
}

/** Writing aside and linking makes the file appear whole or not at all, and only once. */
function take(file: string, holder: Holder): boolean {
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

function replace(file: string, holder: Holder): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(holder));
  renameSync(draft, file);
}

function read(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** Takes a dead holder's file away; when another start was faster and the file is its own by now, it is put back. */
function discard(file: string, holder: Holder | undefined): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    const moved = read(aside);
    if (moved && (moved.pid !== holder?.pid || moved.started !== holder.started)) linkSync(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
