import { setTimeout as sleep } from "node:timers/promises";
import { openEventStream } from "../../support/event-stream.js";

const WAIT_SECONDS = 2;
const PAUSE_MS = 250;
/** The time without an event after which a stream counts as lost: a frozen API neither ends nor continues it. */
const QUIET_MS = 5000;
/** The time for the last events to arrive once nothing changes any more. */
const LAST_EVENTS_MS = 60_000;

/** A reader's access to the events of one account. */
interface Access {
  token: string;
  accountId: string;
}

/** Returns the ids of events after the cursor `after`, until the API is lost. */
type Source = (url: string, access: Access, after: string | undefined) => AsyncIterable<string>;

interface Page {
  events: { id: string }[];
  next: string;
}

/** Pages of JSON, read with `after` and `wait`. */
export const pages: Source = async function* (url, { token, accountId }, after) {
  for (let cursor = after; ; ) {
    const path = `/accounts/${accountId}/events?limit=1000&wait=${WAIT_SECONDS}${cursor ? `&after=${cursor}` : ""}`;
    const signal = AbortSignal.timeout((WAIT_SECONDS + 5) * 1000);
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });
    if (!answer.ok) throw new Error(`the API answers ${answer.status}`);
    const { events, next } = (await answer.json()) as Page;
    for (const { id } of events) yield id;
    cursor = next;
    if (events.length === 0) return;
  }
};

/** The stream of server-sent events, resumed by `Last-Event-ID`. */
export const stream: Source = async function* (url, { token, accountId }, after) {
  const { status, events, cut } = await openEventStream(`${url}/accounts/${accountId}/events`, token, after);
  const lost = setTimeout(cut, QUIET_MS);
  try {
    if (status !== 200) throw new Error(`the API answers ${status}`);
    for await (const { id } of events) {
      lost.refresh();
      yield id;
    }
  } finally {
    clearTimeout(lost);
    cut();
  }
};

/** Reads all events of an account, alternating between APIs, whatever faults occur. */
export class EventFollower {
  /** The ids of the events, in the order in which they were read. */
  readonly ids: string[] = [];
  private isStopped = false;
  private readonly reading: Promise<void>;

  constructor(
    private readonly source: Source,
    private readonly urls: readonly string[],
    private readonly access: Access,
  ) {
    this.reading = this.read();
  }

  /** Stops once it has read this many events, or the time is over. */
  async stop(count: number): Promise<void> {
    const end = Date.now() + LAST_EVENTS_MS;
    while (this.ids.length < count && Date.now() < end) await sleep(PAUSE_MS);
    this.isStopped = true;
    await this.reading;
  }

  private async read(): Promise<void> {
    for (let attempt = 0; !this.isStopped; attempt++) {
      const url = this.urls[attempt % this.urls.length] ?? "";
      try {
        for await (const id of this.source(url, this.access, this.ids.at(-1))) {
          this.ids.push(id);
          if (this.isStopped) break;
        }
      } catch {
        await sleep(PAUSE_MS);
      }
    }
  }
}
