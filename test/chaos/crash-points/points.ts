/** Called with the name of every point that a run passes. The run waits for a returned promise; an error breaks it. */
export type PointListener = (point: string) => void | Promise<void>;

export interface Observer {
  /** The number of calls to the cloud that are running. */
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
 * Calls `listener` before and after every write and every call to the cloud of a run. A point is named by the stage, the
 * step, and the number of such steps since the stage was entered: a stage that is entered again passes the same points.
 */
export function observePoints(requestId: string, listener: PointListener): Observer {
  const run = {
    listener,
    stage: "",
    counts: new Map(),
    runningCalls: 0,
    stop: () => void observedRuns.delete(requestId),
  };
  observedRuns.set(requestId, run);
  return run;
}

export function isCloudCall(point: string): boolean {
  return /\/(before|after) (call|find|create|sync|remove)\b/.test(point);
}

/** Runs a step with a point before it and one after it. */
export async function withPoints<T>(
  requestId: string,
  step: string,
  action: () => PromiseLike<T>,
  isCall = false,
): Promise<T> {
  const run = observedRuns.get(requestId);
  if (!run) return action();
  const { stage, counts } = run;
  const nth = (counts.get(step) ?? 0) + 1;
  counts.set(step, nth);
  const name = nth === 1 ? step : `${step} ${nth}`;
  await run.listener(`${stage}/before ${name}`);
  if (isCall) run.runningCalls++;
  try {
    const result = await action();
    await run.listener(`${stage}/after ${name}`);
    return result;
  } finally {
    if (isCall) run.runningCalls--;
  }
}

/** Names the following points after this stage and restarts their counts. */
export function enterStage(requestId: string, stage: string): void {
  const run = observedRuns.get(requestId);
  if (run) Object.assign(run, { stage, counts: new Map() });
}
