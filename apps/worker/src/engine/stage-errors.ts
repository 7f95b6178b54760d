import type { Watched } from "./watch.js";

/** How a stage says that it cannot go on. What is none of these is sorted by the engine's `classify`. */
export abstract class StageError extends Error {}

/** The stage must look again later. It costs no attempt and holds no worker. */
export class NotYet extends StageError {
  constructor(
    readonly reason: string,
    readonly retryInSeconds: number,
    readonly limitMinutes: number,
    /** Looks sooner at first: after a quarter of the time that the stage has taken so far. */
    readonly soonerAtFirst = false,
    /** How many children have to end before it is worth looking. */
    readonly awaitedChildren = 0,
    /** What is looked at on its behalf, so that it need not be run to find that nothing has changed. */
    readonly watched?: Watched,
  ) {
    super(reason);
  }
}

/** The Request cannot succeed. The message is written for its owner. */
export class PermanentFailure extends StageError {}

/** The Request's owner asked for it to be cancelled. */
export class Cancelled extends StageError {}

/** Another worker has taken the Request over: stop, and write nothing more. */
export class LeaseLost extends StageError {}

/** This worker is shutting down: give the Request back as it stands. */
export class ShuttingDown extends StageError {}

/**
 * Puts the Request to sleep until the stage is run again.
 *
 * @param reason what it waits for, for people to read
 * @param limitMinutes how long the stage may take in all before this counts as a failure
 */
export function notYet(reason: string, options: { retryInSeconds?: number; limitMinutes?: number } = {}): NotYet {
  return new NotYet(reason, options.retryInSeconds ?? 5, options.limitMinutes ?? 30);
}

/** Puts the Request to sleep until so many of its children have ended, by whatever workers. */
export function waitForChildren(awaitedChildren: number): NotYet {
  return new NotYet("Child Requests to end", 60, Number.POSITIVE_INFINITY, false, awaitedChildren);
}

/**
 * Puts the Request to sleep until something in the cloud may have changed: it looks often at first, and then every
 * `everySeconds`.
 *
 * @param limitMinutes how long the stage may take in all before this counts as a failure
 * @param watched what it waits for, where that can be looked at together with others'
 */
export function poll(
  reason: string,
  {
    everySeconds = 15,
    limitMinutes = 30,
    watched,
  }: { everySeconds?: number; limitMinutes?: number; watched?: Watched } = {},
): NotYet {
  return new NotYet(reason, everySeconds, limitMinutes, true, 0, watched);
}

/** Ends the Request as failed; what it made is removed where its type says so. */
export function permanent(message: string): PermanentFailure {
  return new PermanentFailure(message);
}
