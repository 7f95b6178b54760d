import { setTimeout as sleep } from "node:timers/promises";
import { growingPauseMs, type Log, OutageLog } from "@gantry/runtime";
import { type Job, type Processor, Worker, type WorkerOptions } from "bullmq";

/**
 * A worker of a queue that pauses after each failure to fetch a job, longer each time. BullMQ does so only if the
 * connection fails: while Redis is out of memory, its loop would fail thousands of times a second. Of several failures in
 * a row only the first is logged.
 */
export class QueueWorker<Data = unknown, Result = unknown> extends Worker<Data, Result> {
  private readonly outage: OutageLog;
  private readonly stopping = new AbortController();
  private failures = 0;

  constructor(name: string, run: Processor<Data, Result>, log: Log, options: WorkerOptions) {
    super(name, run, { ...options, autorun: false });
    this.outage = new OutageLog(log, `queue ${name}`);
    this.on("error", (error) => this.outage.failed(error));
    this.on("closing", () => this.stopping.abort());
    this.run().catch((error: unknown) => this.outage.failed(error));
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      const job = await super.moveToActive(token, name);
      this.failures = 0;
      this.outage.worked();
      return job;
    } catch (error) {
      await sleep(growingPauseMs(++this.failures), undefined, { signal: this.stopping.signal }).catch(() => {});
      throw error;
    }
  }
}
