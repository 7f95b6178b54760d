/** Called at every moment of a Request's run, by its name; what it returns or throws holds up or breaks the run there. */
export type PointListener = (point: string) => void | Promise<void>;

/** One Request under watch. */
export interface Observer {
  /** How many calls to the cloud have begun and not ended. */
  runningCalls: number;
  stop(): void;
}

interface ObservedRun extends Observer {
  listener: PointListener;
  stage: string;
  counts: Map<string, number>;
}

const observedRuns = new Map<string, ObservedRun>();

/**
 * Calls `at` before and after everything that a run of the Request writes or does in the cloud. A moment is named by the
 * stage, by what happens and by how often that has happened since the stage was entered: a stage that is entered again
 * passes the same moments.
 */
export function observePoints(requestId: string, listener: PointListener): Observer {
  const watched = {
    listener,
    stage: "",
    counts: new Map(),
    runningCalls: 0,
    stop: () => void observedRuns.delete(requestId),
  };
  observedRuns.set(requestId, watched);
  return watched;
}

/** Whether a moment is one of a call to the cloud. */
export function isCloudCall(point: string): boolean {
  return /\/(before|after) (call|find|create|sync|remove)\b/.test(point);
}

/** Does a piece of a Request's run with a moment before and one after it. */
export async function withPoints<T>(
  requestId: string,
  what: string,
  act: () => PromiseLike<T>,
  isCall = false,
): Promise<T> {
  const watched = observedRuns.get(requestId);
  if (!watched) return act();
  const { stage, counts } = watched;
  const nth = (counts.get(what) ?? 0) + 1;
  counts.set(what, nth);
  const name = nth === 1 ? what : `${what} ${nth}`;
  await watched.listener(`${stage}/before ${name}`);
  if (isCall) watched.runningCalls++;
  try {
    const result = await act();
    await watched.listener(`${stage}/after ${name}`);
    return result;
  } finally {
    if (isCall) watched.runningCalls--;
  }
}

/** From here on the moments of the Request are those of this stage, counted anew. */
export function enterStage(requestId: string, stage: string): void {
  const watched = observedRuns.get(requestId);
  if (watched) Object.assign(watched, { stage, counts: new Map() });
}
