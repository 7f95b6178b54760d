import type { ErrorOutcome } from "../../engine/error-policy.js";

/** The parts of an AWS error that a sentence may name; never AWS's own text. */
export interface ErrorFacts {
  code: string;
  /** The action that AWS denied or did not know, such as `ec2:RunInstances`; empty if it is unknown. */
  action: string;
  /** The words of AWS's message, for a search for ids only. */
  words?: string[];
  /** The texts of the call's parameters, for a search for ids only. */
  parameters?: string[];
}

type Outcome = (facts: ErrorFacts) => ErrorOutcome;

/** A row applies to errors whose code matches `codes` and, if `message` is set, whose message matches it. */
export type ErrorRow = [codes: RegExp, outcome: Outcome, message?: RegExp];

/** The error passes by itself: the stage runs again every `retryInSeconds`, for `limitMinutes` at most. */
export function wait(reason: string, retryInSeconds: number, limitMinutes: number): Outcome {
  return () => ({ kind: "wait", wait: { reason, retryInSeconds, limitMinutes } });
}

/** The error never passes. */
export function permanent(message: string | ((facts: ErrorFacts) => string)): Outcome {
  return (facts) => ({ kind: "permanent", message: typeof message === "string" ? message : message(facts) });
}

/** The error may pass: the stage is tried again up to `ATTEMPT_LIMIT` times. */
export function retry(message: string): Outcome {
  return () => ({ kind: "retry", message });
}

/** AWS says that an object does not exist, which passes if the object was just created. */
export function absent(reason: string, retryInSeconds: number, limitMinutes: number): Outcome {
  return (facts) => ({ ...wait(reason, retryInSeconds, limitMinutes)(facts), ...absenceOf(facts, true) });
}

/** The outcome, unless AWS does not show an object that its message names. */
export function unlessGone(outcome: Outcome): Outcome {
  return (facts) => ({ ...outcome(facts), ...absenceOf(facts, false) });
}

function absenceOf({ words = [], parameters = [] }: ErrorFacts, isStated: boolean) {
  return words.length + parameters.length > 0 ? { absence: { isStated, words, parameters } } : {};
}
