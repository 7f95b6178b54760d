import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The exit code of a worker that died as it was told. */
export const KILLED_EXIT_CODE = 86;

/** Where one Request's worker dies. */
export interface KillPoint {
  accountId: string;
  requestId: string;
  point: string;
}

/** What a worker is told before it dies. */
export interface KillJob {
  databaseUrl: string;
  baseUrl: string;
  points: KillPoint[];
}

const entry = fileURLToPath(new URL("./killable-worker.ts", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** Workers for so many errands; the next ones start while others die, since a start takes a second of processor time. */
export class KillableWorkerPool {
  private readonly ready: Promise<ChildProcess>[] = [];

  constructor(
    private remaining: number,
    ahead: number,
  ) {
    for (let i = 0; i < ahead; i++) this.startNext();
  }

  /** Sends a worker into its death. Resolves when the process has ended, with which of the moments it stood at. */
  async runUntilKilled(errand: KillJob): Promise<boolean[]> {
    this.startNext();
    const child = await (this.ready.shift() ?? start());
    const exit = once(child, "exit");
    let reached: boolean[] = [];
    child.once("message", (message) => {
      reached = message as boolean[];
    });
    child.send(errand);
    const [code] = await exit;
    if (code !== KILLED_EXIT_CODE) throw new Error(`the worker that was to die ended with ${code}`);
    return reached;
  }

  /** Ends those that are left. */
  async close(): Promise<void> {
    for (const child of await Promise.all(this.ready)) child.disconnect();
  }

  private startNext(): void {
    if (this.remaining-- > 0) this.ready.push(start());
  }
}

async function start(): Promise<ChildProcess> {
  const child = fork(entry, { execArgv: ["--conditions=source", "--import", tsx] });
  const [word] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (word !== "ready") throw new Error(`the worker did not start: ${word}`);
  return child;
}
