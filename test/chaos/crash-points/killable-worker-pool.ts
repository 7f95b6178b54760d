import { fileURLToPath } from "node:url";
import { type NodeProcess, startNodeProcess } from "@gantry/local-stack";

/** The exit code of a worker that died at its points. */
export const KILLED_EXIT_CODE = 86;

/** The point of one Request at which its worker dies. */
export interface KillPoint {
  accountId: string;
  requestId: string;
  point: string;
}

/** The batch that a worker process runs before it dies. */
export interface KillJob {
  databaseUrl: string;
  baseUrl: string;
  points: KillPoint[];
}

const entry = fileURLToPath(new URL("./killable-worker.ts", import.meta.url));
const start = () => startNodeProcess(entry, { name: "the worker", environment: process.env });

/** Worker processes for a number of jobs. `ahead` of them start early, since a start takes a second of processor time. */
export class KillableWorkerPool {
  private readonly ready: Promise<NodeProcess>[] = [];

  constructor(
    private remaining: number,
    ahead: number,
  ) {
    for (let i = 0; i < ahead; i++) this.startNext();
  }

  /** Runs a job on the next worker until that has exited. Returns for each point whether it was reached. */
  async runUntilKilled(job: KillJob): Promise<boolean[]> {
    this.startNext();
    const { process: child, exited } = await (this.ready.shift() ?? start());
    let reached: boolean[] = [];
    child.once("message", (message) => {
      reached = message as boolean[];
    });
    child.send(job);
    const code = await exited;
    if (code !== KILLED_EXIT_CODE) throw new Error(`the worker ended with ${code} instead of ${KILLED_EXIT_CODE}`);
    return reached;
  }

  /** Ends the workers without a job. */
  async close(): Promise<void> {
    for (const worker of await Promise.all(this.ready)) worker.process.disconnect();
  }

  private startNext(): void {
    if (this.remaining-- > 0) this.ready.push(start());
  }
}
