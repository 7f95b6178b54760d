import type { Slowness, SlownessSettings } from "./slowness.js";

type Waiting = keyof SlownessSettings;

interface Transition {
  since: number;
  /** What is shown until it is over. */
  shown: string;
}

const KEPT = 50_000;

/** What is on its way from one state to the next: by account, region and id. */
export class Transitions {
  private readonly known = new Map<string, Transition>();

  constructor(private readonly slowness: Slowness) {}

  begin(place: string, id: string, shown: string, since = Date.now()): void {
    this.known.set(`${place}|${id}`, { since, shown });
    const oldest = this.known.size > KEPT ? this.known.keys().next().value : undefined;
    if (oldest) this.known.delete(oldest);
  }

  isKnown(place: string, id: string): boolean {
    return this.known.has(`${place}|${id}`);
  }

  /** The state to show while it lasts, with how far it is (0 to 1); undefined once it is over. */
  of(place: string, id: string, what: Waiting): { shown: string; progress: number } | undefined {
    const transition = this.known.get(`${place}|${id}`);
    const [accountId = ""] = place.split("|");
    const lasts = this.slowness.of(accountId)[what] ?? 0;
    if (!transition || lasts <= 0) return undefined;
    const progress = (Date.now() - transition.since) / lasts;
    return progress >= 1 ? undefined : { shown: transition.shown, progress };
  }
}
