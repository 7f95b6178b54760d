import { isPooled } from "@gantry/db";
import { type Log, OutageLog } from "@gantry/runtime";
import pg from "pg";

const POLL_MS = 2000;

/** Lets inputs wait for the end of Requests. The database connection opens with the first wait. */
export class RequestCompletions {
  private readonly subscribers = new Map<string, Set<() => void>>();
  private listening: Promise<pg.Client | undefined> | undefined;
  private closed = false;
  private readonly outage: OutageLog;

  /** @param url the address of PostgreSQL itself; through a pooler nobody can listen, and only the polls find the ends */
  constructor(
    private readonly url: string,
    log: Log,
  ) {
    this.outage = new OutageLog(log, "listening for finished requests");
  }

  /**
   * Returns a Request's state once it is final, `seconds` have passed or the caller has left. Reads it at once, when the
   * database reports the end, and every two seconds in case that report was lost.
   */
  async waitFor<T>(
    requestId: string,
    seconds: number,
    { read, isFinal, hasLeft }: { read(): Promise<T>; isFinal(state: T): boolean; hasLeft(): boolean },
  ): Promise<T> {
    const end = Date.now() + seconds * 1000;
    if (seconds > 0) await this.listen();
    for (;;) {
      const subscription = this.subscribe(requestId, Math.min(POLL_MS, end - Date.now()));
      const state = await read();
      if (isFinal(state) || hasLeft() || this.closed || Date.now() >= end) {
        subscription.cancel();
        return state;
      }
      await subscription.ended;
    }
  }

  /** Ends all waits at once. */
  async close(): Promise<void> {
    this.closed = true;
    for (const subscribers of this.subscribers.values()) for (const resume of subscribers) resume();
    await (await this.listening)?.end().catch(() => {});
  }

  /** Ends when the Request ends, after `ms`, or by `cancel`. Subscribing before a read misses no end. */
  private subscribe(id: string, ms: number): { ended: Promise<void>; cancel(): void } {
    const subscribers = this.subscribers.get(id) ?? new Set();
    this.subscribers.set(id, subscribers);
    let resume = () => {};
    const ended = new Promise<void>((resolve) => {
      const timer = setTimeout(() => resume(), Math.max(0, ms));
      resume = () => {
        clearTimeout(timer);
        subscribers.delete(resume);
        if (subscribers.size === 0 && this.subscribers.get(id) === subscribers) this.subscribers.delete(id);
        resolve();
      };
      subscribers.add(resume);
    });
    return { ended, cancel: resume };
  }

  private listen(): Promise<pg.Client | undefined> {
    this.listening ??= isPooled(this.url) ? Promise.resolve(undefined) : this.connect();
    return this.listening;
  }

  // After a failure the next wait connects again; until then the polls find the ends.
  private async connect(): Promise<pg.Client | undefined> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000, keepAlive: true });
    const lost = () => {
      if (!this.closed) this.listening = undefined;
    };
    client.on("error", lost).on("end", lost);
    client.on("notification", ({ payload }) => {
      for (const resume of this.subscribers.get(payload ?? "") ?? []) resume();
    });
    try {
      await client.connect();
      await client.query("LISTEN request_finished");
      this.outage.worked();
      return client;
    } catch (error) {
      this.outage.failed(error);
      lost();
      return undefined;
    }
  }
}
