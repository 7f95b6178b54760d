import type { Log } from "./log.js";

/** An outage is over after this time without a failure: a store that is nearly full refuses only some of the calls. */
const QUIET_MS = 2000;
/** After so long without a failure, the next one begins another outage, whether an end was seen or not. */
const FORGOTTEN_MS = 60_000;

/** Logs the first of several failures in a row, and their end, so that an outage takes two lines however long it lasts. */
export class OutageLog {
  private failures = 0;
  private startedAt = 0;
  private failedAt = 0;
  private ending: NodeJS.Timeout | undefined;

  /** @param what the work in a few words, such as `audit linking` */
  constructor(
    private readonly log: Log,
    private readonly what: string,
  ) {}

  failed(error: unknown, facts: object = {}): void {
    clearTimeout(this.ending);
    this.ending = undefined;
    const now = performance.now();
    if (now - this.failedAt > FORGOTTEN_MS) this.failures = 0;
    this.failedAt = now;
    if (this.failures++ > 0) return;
    this.startedAt = now;
    this.log.warn({ ...facts, err: error }, `${this.what} failed; will retry`);
  }

  /** Not needed for work of which only the failures are seen. */
  worked(): void {
    if (this.failures === 0 || this.ending) return;
    const seconds = Math.round((performance.now() - this.startedAt) / 1000);
    this.ending = setTimeout(() => {
      this.log.info({ failures: this.failures, seconds }, `${this.what} works again`);
      this.failures = 0;
      this.ending = undefined;
    }, QUIET_MS).unref();
  }
}
