import type { TransitionDelaySettings, TransitionDelays } from "./transition-delays.js";

type DelayName = keyof TransitionDelays;

interface Transition {
  since: number;
  /** What is shown until it is over. */
  state: string;
}

const MAX_ENTRIES = 50_000;

/** What is on its way from one state to the next: by account, region and id. */
export class StateTransitions {
  private readonly transitions = new Map<string, Transition>();

  constructor(private readonly delays: TransitionDelaySettings) {}

  start(place: string, id: string, state: string, since = Date.now()): void {
    this.transitions.set(`${place}|${id}`, { since, state });
    const oldest = this.transitions.size > MAX_ENTRIES ? this.transitions.keys().next().value : undefined;
    if (oldest) this.transitions.delete(oldest);
  }

  has(place: string, id: string): boolean {
    return this.transitions.has(`${place}|${id}`);
  }

  /** The state to show while it lastsMs, with how far it is (0 to 1); undefined once it is over. */
  current(place: string, id: string, delay: DelayName): { state: string; progress: number } | undefined {
    const transition = this.transitions.get(`${place}|${id}`);
    const [accountId = ""] = place.split("|");
    const lastsMs = this.delays.of(accountId)[delay] ?? 0;
    if (!transition || lastsMs <= 0) return undefined;
    const progress = (Date.now() - transition.since) / lastsMs;
    return progress >= 1 ? undefined : { state: transition.state, progress };
  }
}
