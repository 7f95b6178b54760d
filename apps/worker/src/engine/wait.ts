/** Why a stage cannot go on, and when the engine runs it again. A wait costs no attempt and holds no worker. */
export interface Wait {
  /** For people to read. */
  reason: string;
  /** The objects in the cloud that it waits for, for people to read; they may change while it lasts. */
  inTheWay?: string;
  retryInSeconds: number;
  /**
   * The longest that the stage may take in all its runs before the Request fails; for an error of the cloud, the longest that
   * it may last without progress.
   */
  limitMinutes: number;
  /**
   * "growing" waits a quarter of the time that the stage has taken so far, at most `retryInSeconds`; "fixed" if absent.
   */
  backoff?: "fixed" | "growing";
  /** The number of children that must end before the Request wakes; one is enough if absent. */
  awaitedChildren?: number;
  /** The cloud object that workers describe while the Request sleeps. */
  watched?: Watched | undefined;
}

/** A cloud object whose change of state wakes a sleeping Request. */
export interface Watched {
  providerId: number;
  region: string;
  kind: string;
  id: string;
  /** The state that the stage saw, as `CloudKind.describeStates` returns it; empty if the object did not exist. */
  seen: string;
}

/** A watch as the Request's row keeps it. The row adds `wake`: a watch of an earlier wake has no effect. */
export interface Watch extends Watched {
  /** The longest interval between two checks; it grows to that by a quarter of the time since `since`. */
  everySeconds: number;
  since: Date;
  /** The time at which the Request fails if nothing has changed. */
  until: Date;
}

/** An error of the cloud that passes by itself, as the Request's row keeps it. */
export interface CloudWait {
  reason: string;
  since: Date;
}

/** A sleep as the Request's row keeps it. */
export interface Sleep extends Pick<Wait, "awaitedChildren"> {
  seconds: number;
  /** Failed tries of the stage so far. */
  attempts: number;
  reason?: string;
  /** A Request with a watch is woken by `checkWatches`. */
  watch?: Watch;
  /** The error of the cloud that the Request is waiting for to pass. */
  cloudWait?: CloudWait;
  /** The message of the error that led to the sleep. */
  error?: string;
}
