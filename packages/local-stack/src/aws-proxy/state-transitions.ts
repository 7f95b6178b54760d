import type { AccountSettings } from "./account-settings.js";

/** The time until objects become usable, in milliseconds; 0 by default. */
export interface TransitionDelays {
  instanceMs?: number;
  /** From the first look at an instance's status checks; the first look always shows `initializing`. */
  statusChecksMs?: number;
  volumeMs?: number;
  /** Without it, a modification moves on with each second look at it: see the emulator's launcher. */
  volumeModificationMs?: number;
  /** How modifications of volumes end that begin from now on; `completed` by default. */
  volumeModificationEnd?: "completed" | "failed";
  snapshotMs?: number;
  imageMs?: number;
  databaseMs?: number;
  /** How changes of databases end that RDS makes from now on; `failed` leaves the database as it was. */
  databaseChangeEnd?: "completed" | "failed";
  natGatewayMs?: number;
  /** The least time of each step of a refresh of instances; without it, each look at the refresh takes a step. */
  instanceRefreshMs?: number;
  /** How refreshes of instances end that begin from now on: `failed` after the first batch, and `rollback-failed` with its rollback. */
  instanceRefreshEnd?: "completed" | "failed" | "rollback-failed";
}

export type Delay = Extract<keyof TransitionDelays, `${string}Ms`>;

interface Transition {
  since: number;
  /** The state shown during the transition. */
  state: string;
}

const MAX_ENTRIES = 50_000;

/** The objects in transition to another state, by account, region and id. */
export class StateTransitions {
  private readonly transitions = new Map<string, Transition>();

  constructor(private readonly delays: AccountSettings<TransitionDelays>) {}

  start(regionKey: string, id: string, state: string, since = Date.now()): void {
    this.transitions.set(`${regionKey}|${id}`, { since, state });
    const oldest = this.transitions.size > MAX_ENTRIES ? this.transitions.keys().next().value : undefined;
    if (oldest) this.transitions.delete(oldest);
  }

  has(regionKey: string, id: string): boolean {
    return this.transitions.has(`${regionKey}|${id}`);
  }

  /** Returns the state shown during a transition, with its progress (0 to 1); undefined after its end. */
  current(regionKey: string, id: string, delay: Delay): { state: string; progress: number } | undefined {
    const transition = this.transitions.get(`${regionKey}|${id}`);
    const [accountId = ""] = regionKey.split("|");
    const durationMs = this.delays.of(accountId)[delay] ?? 0;
    if (!transition || durationMs <= 0) return undefined;
    const progress = (Date.now() - transition.since) / durationMs;
    return progress >= 1 ? undefined : { state: transition.state, progress };
  }
}
