import { isUnreachable } from "@gantry/db";
import { NotYet, PermanentFailure } from "./stage-errors.js";
import type { Watched } from "./watch.js";

/** What an error means for its Request. */
export type ErrorOutcome =
  /** It may pass: try again with backoff, so many times. The message tells the owner why it failed in the end. */
  | { kind: "retry"; message: string }
  /** It passes by itself: look again without counting it, within the limit. */
  | {
      kind: "wait";
      reason: string;
      retryInSeconds: number;
      limitMinutes: number;
      soonerAtFirst?: boolean;
      awaitedChildren?: number;
      watched?: Watched | undefined;
    }
  /** It never passes. */
  | { kind: "permanent"; message: string };

/** Sorts an error of the cloud's; undefined for one that is not the cloud's. */
export type ClassifyCloudError = (error: unknown) => ErrorOutcome | undefined;

/** How often a stage is tried without progress before its Request fails. */
export const ATTEMPT_LIMIT = 8;

/** How many workers may be lost over one Request without progress before it is given up. */
export const TAKEOVER_LIMIT = 5;

/** From what interval on a poll is left to those who look for many. Until then its Request looks for itself, promptly. */
export const WATCHED_FROM_SECONDS = 2;

/** How soon what is polled is looked at again at first. */
export const SHORTEST_POLL_SECONDS = 0.25;

const FIRST_DELAY_SECONDS = 0.5;
const LONGEST_DELAY_SECONDS = 60;

/** Exponential backoff with jitter: seconds to wait after the `attempt`-th failure, counted from 1. */
export function backoffSeconds(attempt: number): number {
  const ceiling = Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (attempt - 1));
  return ceiling * (0.5 + Math.random() / 2);
}

/** The verdict on an error; undefined while the database is out of reach, since nothing can be written then. */
export function classifyError(error: unknown, classify: ClassifyCloudError): ErrorOutcome | undefined {
  if (error instanceof NotYet) {
    const { reason, retryInSeconds, limitMinutes, soonerAtFirst, awaitedChildren, watched } = error;
    return { kind: "wait", reason, retryInSeconds, limitMinutes, soonerAtFirst, awaitedChildren, watched };
  }
  if (error instanceof PermanentFailure) return { kind: "permanent", message: error.message };
  if (isUnreachable(error)) return undefined;
  return classify(error) ?? { kind: "retry", message: "Gantry met an internal error; its log tells more" };
}
