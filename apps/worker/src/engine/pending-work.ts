import { ShuttingDown } from "./stage-errors.js";

/**
 * The cloud work of a stage. A stage that failed may have started other work in parallel: that work ends, and no more
 * starts, before the engine decides what the failure leads to.
 */
export class PendingWork {
  private readonly pieces = new Set<Promise<unknown>>();
  private readonly failures: unknown[] = [];
  private isClosed = false;

  /**
   * Starts a piece of work and returns its result.
   *
   * @throws ShuttingDown if the stage has ended
   */
  start<T>(piece: () => Promise<T>): Promise<T> {
    const work = this.isClosed ? Promise.reject<T>(new ShuttingDown("the stage has ended")) : piece();
    this.pieces.add(work);
    work.catch((error) => this.failures.push(error)).finally(() => this.pieces.delete(work));
    return work;
  }

  /** Lets no more work start, waits until all of it has ended, and returns the errors of the pieces that failed. */
  async close(): Promise<unknown[]> {
    this.isClosed = true;
    await Promise.allSettled(this.pieces);
    return this.failures;
  }
}
