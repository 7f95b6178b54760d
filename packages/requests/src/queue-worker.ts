import { setTimeout as sleep } from "node:timers/promises";
import { growingPauseMs, type Log, OutageLog } from "@gantry/runtime";
import { type Job, type Processor, Worker, type WorkerOptions } from "bullmq";

/**
 * A worker of a queue that pauses after each failure to fetch a job, longer each time. BullMQ does so only if the
 * connection fails: while Redis is out of memory, its loop would fail thousands of times a second. Of several failures in
 * a row only the first is logged.
 */
export class QueueWorker<Data = unknown, Result = unknown> extends Worker<Data, Result> {
  private readonly fetching: OutageLog;
  private readonly stopping = new AbortController();
  private readonly fetchErrors = new WeakSet<Error>();
  private failures = 0;

  constructor(name: string, run: Processor<Data, Result>, log: Log, options: WorkerOptions) {
    super(name, run, { ...options, autorun: false });
    this.fetching = new OutageLog(log, `queue ${name}`);
    // Such as the look for jobs whose worker died: it may fail while fetches from an empty queue work.
    const upkeep = new OutageLog(log, `upkeep of queue ${name}`);
    this.on("error", (error) => {
      if (!this.closing && !this.fetchErrors.has(error)) upkeep.failed(error);
    });
    this.on("closing", () => this.stopping.abort());
    this.run().catch((error: unknown) => upkeep.failed(error));
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      const job = await super.moveToActive(token, name);
      this.failures = 0;
      this.fetching.worked();
      return job;
    } catch (error) {
      this.fetchErrors.add(error as Error);
      if (!this.closing) this.fetching.failed(error);
      await sleep(growingPauseMs(++this.failures), undefined, { signal: this.stopping.signal }).catch(() => {});
      throw error;
    }
  }
}
