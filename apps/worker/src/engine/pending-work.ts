import { ShuttingDown } from "./stage-errors.js";

/**
 * What a stage is doing in the cloud. A stage that failed may have begun other things at the same time: they are let
 * end, and nothing more is begun, before anything is decided.
 */
export class PendingWork {
  private readonly pieces = new Set<Promise<unknown>>();
  private readonly failures: unknown[] = [];
  private isClosed = false;

  /** Begins a piece of work, unless the stage has ended. */
  start<T>(piece: () => Promise<T>): Promise<T> {
    const work = this.isClosed ? Promise.reject<T>(new ShuttingDown("the stage has ended")) : piece();
    this.pieces.add(work);
    work.catch((error) => this.failures.push(error)).finally(() => this.pieces.delete(work));
    return work;
  }

  /** Lets nothing more begin, and resolves when all that was begun has ended: with the errors of what went wrong. */
  async close(): Promise<unknown[]> {
    this.isClosed = true;
    await Promise.allSettled(this.pieces);
    return this.failures;
  }
}
