import { setTimeout as sleep } from "node:timers/promises";
import { growingPauseMs, type Log, OutageLog } from "@gantry/runtime";
import { DelayedError, type Job, type Processor, UnrecoverableError, Worker, type WorkerOptions } from "bullmq";

/** Thrown for a job that was delayed because the database is away; the cause is its error. */
export class DatabaseAway extends DelayedError {}

/** Thrown for a job that was delayed before it began, which says nothing about the database. */
export class NotBegun extends DelayedError {}

/**
 * A worker of a queue that pauses after a failure to fetch a job, longer every time. BullMQ does so only if the
 * connection fails: while Redis is out of memory, its loop would fail thousands of times a second. It also pauses after
 * jobs that failed without the database, so that a long queue is not tried through. Of several failures in a row
 * only the first is logged.
 */
export class QueueWorker<Data = unknown, Result = unknown> extends Worker<Data, Result> {
  private readonly fetchOutage: OutageLog;
  private readonly jobOutage: OutageLog;
  private readonly stopping = new AbortController();
  private readonly fetchErrors = new WeakSet<Error>();
  private failures = 0;
  private jobFailures = 0;
  private jobPause: Promise<void> | undefined;

  constructor(name: string, run: Processor<Data, Result>, log: Log, options: WorkerOptions) {
    super(name, run, { ...options, autorun: false });
    this.fetchOutage = new OutageLog(log, `queue ${name}`);
    this.jobOutage = new OutageLog(log, `job of queue ${name}`);
    // Such as the check for jobs of dead workers: it may fail while fetches from an empty queue work.
    const upkeepOutage = new OutageLog(log, `upkeep of queue ${name}`);
    this.on("error", (error) => {
      if (!this.closing && !this.fetchErrors.has(error)) upkeepOutage.failed(error);
    });
    this.on("closing", () => this.stopping.abort());
    this.run().catch((error: unknown) => upkeepOutage.failed(error));
  }

  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      const job = await super.moveToActive(token, name);
      this.failures = 0;
      this.fetchOutage.worked();
      return job;
    } catch (error) {
      this.fetchErrors.add(error as Error);
      if (!this.closing) this.fetchOutage.failed(error);
      await this.pauseAfter(++this.failures);
      throw error;
    }
  }

  protected override async callProcessJob(
    job: Job<Data, Result>,
    token: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    // The jobs of one pause are tried together; their locks are renewed meanwhile.
    await this.jobPause;
    try {
      const result = await super.callProcessJob(job, token, signal);
      this.jobsWork();
      return result;
    } catch (error) {
      if (isOutcome(error)) this.jobsWork();
      else if (!(error instanceof NotBegun)) this.jobFailed(job, error);
      throw error;
    }
  }

  private jobsWork(): void {
    this.jobFailures = 0;
    this.jobOutage.worked();
  }

  private jobFailed({ id }: Job, error: unknown): void {
    this.jobOutage.failed(error instanceof DatabaseAway ? error.cause : error, { job: id });
    this.jobPause ??= this.pauseAfter(++this.jobFailures).finally(() => {
      this.jobPause = undefined;
    });
  }

  private pauseAfter(failures: number): Promise<void> {
    return sleep(growingPauseMs(failures), undefined, { signal: this.stopping.signal }).catch(() => {});
  }
}

/** Whether a job threw what is not a failure of the worker: it was delayed, or reports that its Request failed. */
function isOutcome(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof NotBegun) return false;
  return error instanceof DelayedError || error instanceof UnrecoverableError;
}
