import type { Log } from "@gantry/runtime";
import pg from "pg";

const POLL_MS = 2000;

/** Hears from the database that Requests ended. It listens from when someone first waits. */
export class RequestCompletions {
  private readonly waiting = new Map<string, Set<() => void>>();
  private listening: Promise<pg.Client | undefined> | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly log: Log,
  ) {}

  /**
   * Looks until it sees something or the time is over: at once, when the Request ends, and every two seconds in case
   * that news was lost.
   */
  async waitFor<T>(
    requestId: string,
    seconds: number,
    look: () => Promise<T>,
    isSeen: (seen: T) => boolean,
  ): Promise<T> {
    const end = Date.now() + seconds * 1000;
    if (seconds > 0) await this.listen();
    for (;;) {
      const subscribe = this.news(requestId, Math.min(POLL_MS, end - Date.now()));
      const seen = await look();
      if (isSeen(seen) || this.closed || Date.now() >= end) {
        subscribe.forget();
        return seen;
      }
      await subscribe.heard;
    }
  }

  /** Lets everyone who waits go on at once. */
  async close(): Promise<void> {
    this.closed = true;
    for (const hearers of this.waiting.values()) for (const hear of hearers) hear();
    await (await this.listening)?.end().catch(() => {});
  }

  private news(id: string, ms: number): { heard: Promise<void>; forget(): void } {
    const hearers = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, hearers);
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(() => hear(), Math.max(0, ms));
      hear = () => {
        clearTimeout(timer);
        hearers.delete(hear);
        if (hearers.size === 0 && this.waiting.get(id) === hearers) this.waiting.delete(id);
        resolve();
      };
      hearers.add(hear);
    });
    return { heard, forget: hear };
  }

  private listen(): Promise<pg.Client | undefined> {
    this.listening ??= this.connect();
    return this.listening;
  }

  // Where it fails, the next one to wait tries again; until then the looks in between serve.
  private async connect(): Promise<pg.Client | undefined> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2000, keepAlive: true });
    const lost = () => {
      if (!this.closed) this.listening = undefined;
    };
    client.on("error", lost).on("end", lost);
    client.on("notification", ({ payload }) => {
      for (const hear of this.waiting.get(payload ?? "") ?? []) hear();
    });
    try {
      await client.connect();
      await client.query("LISTEN request_finished");
      return client;
    } catch (error) {
      this.log.warn({ err: error }, "cannot listen for ended Requests");
      lost();
      return undefined;
    }
  }
}
