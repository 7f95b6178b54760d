import type { Wait, Watched } from "./wait.js";

/** The errors by which a stage ends a run. The engine's `classify` sorts all other errors. */
export abstract class StageError extends Error {}

/** The stage must be run again later. */
export class NotYet extends StageError {
  constructor(readonly wait: Wait) {
    super(wait.reason);
  }
}

/** The cloud does not show an object that the stage needs. */
export class NotShown extends StageError {
  constructor(readonly id: string) {
    super(`AWS does not show ${id}`);
  }
}

/** The Request cannot succeed. The message is written for its owner. */
export class PermanentFailure extends StageError {}

/** The Request's owner asked for it to be cancelled. */
export class Cancelled extends StageError {
  constructor() {
    super("Cancelled");
  }
}

/** The run holds the Request no longer: it must stop and write nothing more. */
export class LeaseLost extends StageError {
  constructor(message = "another worker took the Request over") {
    super(message);
  }
}

/** The worker is shutting down, or the stage has ended: the Request goes back as the database has it. */
export class ShuttingDown extends StageError {}

/**
 * Returns the error that makes the Request sleep until the stage is run again.
 *
 * @param reason the subject of the wait, for people to read
 * @param options `retryInSeconds`: the length of the sleep, 5 if absent; `limitMinutes`: the longest that the stage
 *   may take in all before the Request fails, 30 if absent
 */
export function notYet(reason: string, options: Partial<Pick<Wait, "retryInSeconds" | "limitMinutes">> = {}): NotYet {
  return new NotYet({ reason, retryInSeconds: 5, limitMinutes: 30, ...options });
}

/**
 * Returns the error of a stage for which the cloud does not show an object: the Request waits if Gantry created the object
 * a moment ago, else it fails with the object's id and age.
 */
export function notShown(id: string): NotShown {
  return new NotShown(id);
}

/** Returns the error that makes the Request sleep until `awaitedChildren` of its children have ended. */
export function waitForChildren(awaitedChildren: number): NotYet {
  const limitMinutes = Number.POSITIVE_INFINITY;
  return new NotYet({ reason: "child Requests to finish", retryInSeconds: 60, limitMinutes, awaitedChildren });
}

/**
 * Returns the error that makes the Request sleep until a state in the cloud may have changed: for short times at first,
 * then for `everySeconds`, 15 if absent.
 *
 * @param options `limitMinutes`: as for `notYet`; `watched`: the object in question, if its kind can describe many at
 * once
 */
export function poll(
  reason: string,
  {
    everySeconds = 15,
    limitMinutes = 30,
    watched,
  }: { everySeconds?: number; limitMinutes?: number; watched?: Watched } = {},
): NotYet {
  return new NotYet({ reason, retryInSeconds: everySeconds, limitMinutes, backoff: "growing", watched });
}

/**
 * Returns the error that ends the Request as failed; the engine then removes what the Request made, if its type says
 * so.
 */
export function permanent(message: string): PermanentFailure {
  return new PermanentFailure(message);
}
