import { setTimeout as sleep } from "node:timers/promises";

const WAIT_SECONDS = 2;
const PAUSE_MS = 250;
/** The time for the last events to arrive once nothing changes any more. */
const LAST_EVENTS_MS = 60_000;

interface Page {
  events: { id: string }[];
  next: string;
}

/** Reads an account's events from the first on, at one API after the other, through every fault. */
export class EventFollower {
  /** The ids of the events, in the order in which they were read. */
  readonly ids: string[] = [];
  private place = "";
  private isStopped = false;
  private readonly reading: Promise<void>;

  constructor(
    private readonly urls: readonly string[],
    private readonly token: string,
    private readonly accountId: string,
  ) {
    this.reading = this.read();
  }

  /** Stops once it has read so many events, or had time to. */
  async stop(count: number): Promise<void> {
    const end = Date.now() + LAST_EVENTS_MS;
    while (this.ids.length < count && Date.now() < end) await sleep(PAUSE_MS);
    this.isStopped = true;
    await this.reading;
  }

  private async read(): Promise<void> {
    for (let attempt = 0; !this.isStopped; attempt++) {
      const page = await this.fetchPage(this.urls[attempt % this.urls.length] ?? "").catch(() => undefined);
      if (!page) {
        await sleep(PAUSE_MS);
        continue;
      }
      this.ids.push(...page.events.map(({ id }) => id));
      this.place = `&after=${page.next}`;
    }
  }

  private async fetchPage(url: string): Promise<Page | undefined> {
    const path = `/accounts/${this.accountId}/events?limit=1000&wait=${WAIT_SECONDS}${this.place}`;
    const signal = AbortSignal.timeout((WAIT_SECONDS + 5) * 1000);
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${this.token}` }, signal });
    return answer.ok ? ((await answer.json()) as Page) : undefined;
  }
}
