import { isUnavailable } from "@gantry/db";
import type { RunState } from "./run-state.js";
import { Cancelled, LeaseLost, NotShown, NotYet, PermanentFailure, ShuttingDown } from "./stage-errors.js";
import type { Sleep, Wait } from "./wait.js";

/** The objects whose absence may be the cause of an error of the cloud. */
export interface Absence {
  /** True if the cloud says that an object does not exist; false if that is only a possible cause. */
  isStated: boolean;
  /** The words of the cloud's message, among them the ids that it names. */
  words: string[];
  /** The texts of the call's parameters, among them the ids of all objects that it needs. */
  parameters: string[];
}

/** The consequence of an error for its Request. Messages are written for the Request's owner. */
export type ErrorOutcome =
  /** It may pass, and the stage is tried again with backoff, up to `ATTEMPT_LIMIT` times; or it never passes. */
  (
    | { kind: "retry" | "permanent"; message: string }
    /** It passes by itself: the stage runs again without counting an attempt. */
    | { kind: "wait"; wait: Wait }
  ) & {
    /** The objects whose absence may be the cause; `settleAbsence` then decides. */
    absence?: Absence;
  };

/** Sorts an error of the cloud; returns undefined for any other error. */
export type ClassifyCloudError = (error: unknown) => ErrorOutcome | undefined;

/** Sorts any error of a run, as `settledOutcome` does. */
type OutcomeOf = (error: unknown) => Promise<ErrorOutcome | undefined>;

export type NextAction = { sleep: Sleep; failure?: never } | { sleep?: never; failure: string };

/** The number of tries of a stage without progress after which its Request fails. */
export const ATTEMPT_LIMIT = 8;

/** The number of workers that may be lost over one Request without progress before the engine fails it. */
export const TAKEOVER_LIMIT = 5;

/** The shortest sleep that is left to `checkWatches`; after a shorter one the Request polls for itself. */
const WATCHED_FROM_SECONDS = 2;

/** The longest wait for an object whose age is unknown. */
const NOT_SHOWN_MINUTES = 5;

const SHORTEST_POLL_SECONDS = 0.25;
const FIRST_DELAY_SECONDS = 0.5;
const LONGEST_DELAY_SECONDS = 60;

/** Sorts any error of a run; returns undefined while the database is unavailable, since a run may be unable to write. */
export function classifyError(error: unknown, classify: ClassifyCloudError): ErrorOutcome | undefined {
  if (error instanceof NotYet) return { kind: "wait", wait: error.wait };
  if (error instanceof NotShown) return stateAbsence(error.id);
  if (error instanceof PermanentFailure) return { kind: "permanent", message: error.message };
  if (isUnavailable(error)) return undefined;
  return classify(error) ?? { kind: "retry", message: "Internal error of Gantry; see the worker's log" };
}

function stateAbsence(id: string): ErrorOutcome {
  const wait = { reason: `AWS to show ${id}`, retryInSeconds: 2, limitMinutes: NOT_SHOWN_MINUTES };
  return { kind: "wait", wait, absence: { isStated: true, words: [id], parameters: [id] } };
}

/**
 * Returns the action that an error of a run leads to: the Request sleeps, or fails with a message for its owner.
 *
 * @throws the error itself if the run can write no result
 */
export async function nextAction(state: RunState, error: unknown, outcomeOf: OutcomeOf): Promise<NextAction> {
  if (error instanceof LeaseLost) throw error;
  if (error instanceof Cancelled) return { failure: error.message };
  if (error instanceof ShuttingDown) return { sleep: interrupted(state) };
  let outcome: ErrorOutcome | undefined;
  try {
    outcome = await outcomeOf(error);
  } catch (failure) {
    // The worker began to stop before the cloud was asked about the error.
    if (failure instanceof ShuttingDown) return { sleep: interrupted(state) };
    throw failure;
  }
  if (!outcome) throw error;
  if (outcome.kind === "wait") {
    return error instanceof NotYet ? actionOf(outcome.wait, state) : waitForCloud(outcome.wait, state);
  }
  const { kind, message } = outcome;
  const tries = state.attempts + 1;
  if (kind === "permanent" || tries >= ATTEMPT_LIMIT) return { failure: message };
  return { sleep: { seconds: backoffSeconds(tries), attempts: tries, reason: "the next attempt", error: message } };
}

/** The sleep of a Request whose run was interrupted: the time for which it waits for the cloud goes on. */
export function interrupted({ attempts, cloudWait }: RunState, sleep: Partial<Sleep> = {}): Sleep {
  return { seconds: 0, attempts, ...(cloudWait && { cloudWait }), ...sleep };
}

/** An error of the cloud has a separate time limit: the stage may have waited long for something else before. */
function waitForCloud({ reason, inTheWay, retryInSeconds, limitMinutes }: Wait, state: RunState): NextAction {
  const since = state.waitingOutSince(reason);
  const shown = inTheWay ? `${reason}: ${inTheWay}` : reason;
  if (Date.now() - since.getTime() > limitMinutes * 60_000) return timedOut(limitMinutes, shown);
  return { sleep: { seconds: retryInSeconds, attempts: state.attempts, reason: shown, cloudWait: { reason, since } } };
}

function timedOut(limitMinutes: number, reason: string): NextAction {
  return { failure: `Timed out after waiting ${limitMinutes} minutes for ${reason}` };
}

function actionOf(wait: Wait, state: RunState): NextAction {
  const { reason, retryInSeconds, limitMinutes, backoff, awaitedChildren = 0, watched } = wait;
  const minutes = state.minutesInStage();
  if (minutes > limitMinutes) return timedOut(limitMinutes, reason);
  const quarter = Math.max(SHORTEST_POLL_SECONDS, minutes * 15);
  const seconds = backoff === "growing" ? Math.min(retryInSeconds, quarter) : retryInSeconds;
  const sleep = { seconds, attempts: state.attempts, reason, awaitedChildren };
  if (!watched || seconds < WATCHED_FROM_SECONDS) return { sleep };
  const since = state.current.stageEnteredAt;
  const until = new Date(since.getTime() + limitMinutes * 60_000);
  return { sleep: { ...sleep, watch: { ...watched, everySeconds: retryInSeconds, since, until } } };
}

/** Exponential backoff with jitter: the seconds to wait after the `attempt`-th failure, counted from 1. */
function backoffSeconds(attempt: number): number {
  const ceiling = Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (attempt - 1));
  return ceiling * (0.5 + Math.random() / 2);
}
