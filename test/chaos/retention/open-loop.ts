import { setTimeout as sleep } from "node:timers/promises";
import { percentileOf } from "../../load/statistics.js";

/** One call; throws if it is not answered as expected. */
export type Call = () => Promise<unknown>;

/** Latencies in milliseconds from the moment at which a call was due, with that moment. */
type Sample = readonly [dueAt: number, ms: number];

/** Calls at a constant rate, however long the answers take. */
export class OpenLoop {
  private readonly samples: Sample[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private readonly loop: Promise<void>;
  private isStopping = false;
  /** What calls threw. */
  readonly failures: unknown[] = [];

  constructor(perSecond: number, call: Call) {
    this.loop = this.run(1000 / perSecond, call);
  }

  private async run(intervalMs: number, call: Call): Promise<void> {
    let dueAt = performance.now();
    while (!this.isStopping) {
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      this.start(dueAt, call);
      dueAt += intervalMs;
    }
  }

  private start(dueAt: number, call: Call): void {
    const ending = call()
      .then(() => void this.samples.push([dueAt, performance.now() - dueAt]))
      .catch((error: unknown) => {
        this.failures.push(error);
      })
      .finally(() => this.underWay.delete(ending));
    this.underWay.add(ending);
  }

  /** The 99th percentile of the answered calls that were due in one of the windows. */
  p99(...windows: (readonly [from: number, to: number])[]): number {
    const isIn = ([at]: Sample) => windows.some(([from, to]) => at >= from && at < to);
    return percentileOf(
      this.samples.filter(isIn).map(([, ms]) => ms),
      0.99,
    );
  }

  /** Stops, and waits for the answers that are due. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.loop;
    await Promise.all(this.underWay);
  }
}
